#include "cli/fetch/put_graph.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/fetch/stored_text.h"
#include "cli/fetch/transfer_plan.h"
#include "cli/fetch/transfer_progress.h"
#include "cli/fetch/try_again.h"
#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "common/io/path_error.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_text.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

constexpr size_t kPiece = size_t{8} << 20;
// 10,000 parts of 10 MiB: what the S3 protocol takes.
constexpr uint64_t kMaxObjectBytes = uint64_t{10000} * (10 << 20);

// The content type of an object: it holds the checksum, since all stores keep
// it and Arrow writes no other metadata.
std::string ContentTypeOf(const PlannedFile& file) {
  return absl::StrFormat("application/octet-stream; crc32c=%08x",
                         file.crc32c.value_or(0));
}

class Storer {
 public:
  Storer(const PutOptions& options, const TransferPlan& plan,
         const std::vector<PlannedFile>& files, ObjectStore& store,
         TryAgain& again, TransferProgress& progress)
      : options_(options),
        plan_(plan),
        files_(files),
        store_(store),
        again_(again),
        progress_(progress) {}

  absl::Status Run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.jobs; ++i) {
      threads.emplace_back([this, i] { Work(i); });
    }
    for (std::thread& thread : threads) thread.join();
    MutexLock lock(mutex_);
    return status_;
  }

 private:
  void Work(uint64_t seed) {
    for (size_t i = next_++; i < files_.size(); i = next_++) {
      const PlannedFile& file = files_[i];
      const absl::Status status =
          again_.Run(seed, [&] { return StoreMissing(file); });
      if (status.ok()) continue;
      Fail(status);
      return;
    }
  }

  void Fail(const absl::Status& status) {
    next_ = files_.size();
    {
      MutexLock lock(mutex_);
      if (!status_.ok()) return;
      status_ = status;
    }
    again_.Stop();
  }

  absl::Status StoreMissing(const PlannedFile& file) {
    const auto info = store_.Stat(file.path);
    if (!info.ok() && !absl::IsNotFound(info.status())) return info.status();
    if (!info.ok() || info->bytes != file.bytes ||
        info->content_type != ContentTypeOf(file)) {
      int64_t sent = 0;
      const absl::Status stored = Store(file, &sent);
      if (!stored.ok()) progress_.Add(-sent);
      return stored;
    }
    progress_.Add(static_cast<int64_t>(file.bytes));
    return absl::OkStatus();
  }

  absl::Status Store(const PlannedFile& file, int64_t* sent) {
    const std::string path = absl::StrCat(options_.folder, "/", file.path);
    size_t size = 0;
    ASSIGN_OR_RETURN(const int opened, OpenRegularFile(path, &size));
    const UniqueFd fd(opened);
    if (size != file.bytes) {
      return absl::DataLossError(
          absl::StrCat(path, " has ", size, " bytes where ", plan_.ListOf(file),
                       " says ", file.bytes));
    }
    ASSIGN_OR_RETURN(auto writer,
                     store_.Create(file.path, ContentTypeOf(file)));
    std::vector<uint8_t> piece(std::min<uint64_t>(kPiece, file.bytes));
    uint32_t crc = 0;
    for (uint64_t at = 0; at < file.bytes;) {
      const ssize_t n = read(fd.get(), piece.data(), piece.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return PathError(path, "read");
      if (n == 0) return absl::DataLossError(absl::StrCat(path, " was cut"));
      const auto bytes = absl::MakeConstSpan(piece.data(), n);
      crc = ExtendCrc32c(crc, bytes);
      RETURN_IF_ERROR(writer->Append(bytes));
      progress_.Add(n);
      *sent += n;
      at += static_cast<uint64_t>(n);
    }
    if (crc != *file.crc32c) {
      return absl::DataLossError(absl::StrFormat(
          "%s is damaged: its checksum is %08x where %s says %08x", path, crc,
          plan_.ListOf(file), *file.crc32c));
    }
    return writer->Finish();
  }

  const PutOptions& options_;
  const TransferPlan& plan_;
  const std::vector<PlannedFile>& files_;
  ObjectStore& store_;
  TryAgain& again_;
  TransferProgress& progress_;
  std::atomic<size_t> next_{0};
  Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

absl::Status CheckSizes(const TransferPlan& plan) {
  for (const PlannedFile& file : plan.AllFiles()) {
    if (file.bytes <= kMaxObjectBytes) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        file.path, " has ", file.bytes, " bytes; allowed in one object: ",
        kMaxObjectBytes, "; partition the graph into more parts"));
  }
  return absl::OkStatus();
}

// Whether the store has this graph already. ALREADY_EXISTS if it has another.
absl::StatusOr<bool> IsStored(const TransferPlan& plan, ObjectStore& store,
                              TryAgain& again) {
  const auto json =
      ReadStoredText(store, kGraphJson, kMaxGraphJsonBytes, again);
  if (absl::IsNotFound(json.status())) return false;
  RETURN_IF_ERROR(json.status());
  if (*json == plan.manifest.text) return true;
  return absl::AlreadyExistsError(absl::StrCat(
      store.NameOf(kGraphJson), " is of another graph than ", plan.name,
      "\nallowed: a prefix without a graph, for example one for each day"));
}

// Returns the parts that the store has not, or has otherwise.
absl::StatusOr<std::vector<const PlannedPart*>> PartsToStore(
    const TransferPlan& plan, ObjectStore& store, TryAgain& again) {
  std::vector<const PlannedPart*> parts;
  for (const PlannedPart& part : plan.parts) {
    const auto json =
        ReadStoredText(store, part.manifest.path, kMaxHotTextBytes, again);
    if (!absl::IsNotFound(json.status())) RETURN_IF_ERROR(json.status());
    if (!json.ok() || *json != part.manifest.text) parts.push_back(&part);
  }
  return parts;
}

absl::Status StoreJson(const Manifest& json, ObjectStore& store,
                       TryAgain& again) {
  return again.Run(0, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(auto writer, store.Create(json.path, "application/json"));
    RETURN_IF_ERROR(writer->Append(absl::MakeConstSpan(
        reinterpret_cast<const uint8_t*>(json.text.data()), json.text.size())));
    return writer->Finish();
  });
}

}  // namespace

absl::StatusOr<Transferred> PutGraph(const PutOptions& options,
                                     ObjectStore& store) {
  ASSIGN_OR_RETURN(std::string json,
                   ReadFile(absl::StrCat(options.folder, "/", kGraphJson),
                            kMaxGraphJsonBytes));
  ASSIGN_OR_RETURN(const GraphSchema schema,
                   ParseGraphJson(json, options.folder));
  ASSIGN_OR_RETURN(TransferPlan plan,
                   PlanGraph(schema, std::move(json), PartitionChoice()));
  RETURN_IF_ERROR(AddPartsOf(options.folder, schema, PartitionChoice(), plan));
  RETURN_IF_ERROR(CheckSizes(plan));
  TryAgain again(options.retry_for);
  Transferred done{plan.name, plan.num_files(), plan.bytes()};
  ASSIGN_OR_RETURN(const bool graph_stored, IsStored(plan, store, again));
  ASSIGN_OR_RETURN(const auto parts, PartsToStore(plan, store, again));
  done.already = graph_stored && parts.empty();
  if (done.already) return done;
  {
    std::vector<PlannedFile> files;
    if (!graph_stored) files = plan.AllFiles();
    for (const PlannedPart* part : parts) {
      if (!graph_stored) break;  // theirs are among all
      files.insert(files.end(), part->files.begin(), part->files.end());
    }
    TransferProgress progress("tributary-fetch put", "stored", done.bytes);
    RETURN_IF_ERROR(Storer(options, plan, files, store, again, progress).Run());
  }
  for (const PlannedPart* part : parts) {
    RETURN_IF_ERROR(StoreJson(part->manifest, store, again));
  }
  if (!graph_stored) RETURN_IF_ERROR(StoreJson(plan.manifest, store, again));
  return done;
}

}  // namespace tributary
