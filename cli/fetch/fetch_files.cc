#include "cli/fetch/fetch_files.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/fetch/part_file.h"
#include "common/io/buffer.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// A file and how far its chunks were handed out.
struct Fetched {
  PartFile part;         // used by whoever's turn it is
  uint64_t next = 0;     // the first byte that nobody fetches yet
  uint64_t written = 0;  // where the next chunk to be written begins
};

struct Chunk {
  Fetched* file = nullptr;
  uint64_t offset = 0;
  size_t bytes = 0;
};

// Hands out the chunks in order, and lets their holders write in that order. So
// the holder of a file's first missing chunk never waits.
class ChunkQueue {
 public:
  ChunkQueue(std::deque<Fetched>* files, size_t chunk) : chunk_(chunk) {
    for (Fetched& file : *files) waiting_.push_back(&file);
  }

  // Returns the next chunk; none if all are handed out or something failed.
  std::optional<Chunk> Next() {
    MutexLock lock(mutex_);
    if (!status_.ok() || waiting_.empty()) return std::nullopt;
    Fetched* const file = waiting_.front();
    const uint64_t left = file->part.file().bytes - file->next;
    const Chunk chunk{file, file->next,
                      static_cast<size_t>(std::min<uint64_t>(left, chunk_))};
    file->next += chunk.bytes;
    if (file->next == file->part.file().bytes) waiting_.pop_front();
    return chunk;
  }

  // Waits until all bytes before the chunk are written. Returns whether it may
  // be written; false after a failure.
  bool AwaitTurn(const Chunk& chunk) {
    MutexLock lock(mutex_);
    while (status_.ok() && chunk.file->written != chunk.offset) {
      changed_.Wait(mutex_);
    }
    return status_.ok();
  }

  // Gives the turn to the holder of the chunk behind this one.
  void PassTurn(const Chunk& chunk) {
    MutexLock lock(mutex_);
    chunk.file->written = chunk.offset + chunk.bytes;
    changed_.NotifyAll();
  }

  // Hands out all of a file's chunks again.
  void RestartFile(Fetched* file) {
    MutexLock lock(mutex_);
    file->next = 0;
    file->written = 0;
    waiting_.push_front(file);
  }

  // Keeps the first error, and ends everything. Returns whether it is the
  // first.
  bool Fail(absl::Status status) {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
    if (!status_.ok()) return false;
    status_ = std::move(status);
    return true;
  }

  absl::Status status() {
    MutexLock lock(mutex_);
    return status_;
  }

 private:
  const size_t chunk_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<Fetched*> waiting_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

class Fetcher {
 public:
  Fetcher(const FetchOptions& options, ObjectStore& store, TryAgain& again,
          TransferProgress& progress, std::deque<Fetched>* files)
      : options_(options),
        store_(store),
        again_(again),
        progress_(progress),
        queue_(files, options.chunk) {}

  absl::Status Run() {
    std::vector<std::thread> threads;
    for (int i = 0; i < options_.jobs; ++i) {
      threads.emplace_back([this, i] { Work(i); });
    }
    for (std::thread& thread : threads) thread.join();
    return queue_.status();
  }

 private:
  void Work(uint64_t seed) {
    AlignedBuffer buffer(options_.chunk);
    while (const auto chunk = queue_.Next()) {
      const absl::Status status = Fetch(*chunk, seed, buffer);
      if (status.ok()) continue;
      if (queue_.Fail(status)) again_.Stop();
      return;
    }
  }

  absl::Status Fetch(const Chunk& chunk, uint64_t seed, AlignedBuffer& buffer) {
    const auto bytes = buffer.span().subspan(0, chunk.bytes);
    if (!bytes.empty()) {
      RETURN_IF_ERROR(again_.Run(seed, [&] { return Read(chunk, bytes); }));
    }
    if (!queue_.AwaitTurn(chunk)) return absl::OkStatus();
    RETURN_IF_ERROR(Write(chunk, bytes));
    progress_.Add(static_cast<int64_t>(bytes.size()));
    return absl::OkStatus();
  }

  absl::Status Read(const Chunk& chunk, absl::Span<uint8_t> bytes) {
    const PlannedFile& file = chunk.file->part.file();
    absl::Status status =
        store_.Read(file.path, file.bytes, chunk.offset, bytes);
    if (status.ok() || absl::IsPermissionDenied(status)) return status;
    // A missing or short object may look like another error.
    RETURN_IF_ERROR(CheckLength(file));
    if (absl::IsNotFound(status)) return status;
    return absl::UnavailableError(status.message());
  }

  absl::Status CheckLength(const PlannedFile& file) {
    ASSIGN_OR_RETURN(const ObjectInfo info, store_.Stat(file.path));
    if (info.bytes == file.bytes) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        store_.NameOf(file.path), " has ", info.bytes, " bytes where ",
        file.bytes, " are expected; store the graph again"));
  }

  // Appends the chunk; after a file's last one, finishes it.
  absl::Status Write(const Chunk& chunk, absl::Span<const uint8_t> bytes) {
    PartFile& part = chunk.file->part;
    const bool last = chunk.offset + bytes.size() == part.file().bytes;
    RETURN_IF_ERROR(part.Append(bytes));
    if (!last) {
      queue_.PassTurn(chunk);
      return absl::OkStatus();
    }
    return FinishFile(chunk.file);
  }

  absl::Status FinishFile(Fetched* file) {
    PartFile& part = file->part;
    const absl::Status finished = part.Finish();
    if (!absl::IsDataLoss(finished)) return finished;
    const bool again = part.resumed();
    const auto taken_back = static_cast<int64_t>(part.size());
    RETURN_IF_ERROR(part.Restart());
    if (again) {
      progress_.Add(-taken_back);
      queue_.RestartFile(file);
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(CheckLength(part.file()));
    return absl::DataLossError(absl::StrCat(store_.NameOf(part.file().path),
                                            " is damaged: ", finished.message(),
                                            "; store the graph again"));
  }

  const FetchOptions options_;
  ObjectStore& store_;
  TryAgain& again_;
  TransferProgress& progress_;
  ChunkQueue queue_;
};

}  // namespace

absl::Status FetchFiles(const std::vector<PlannedFile>& files,
                        const FetchOptions& options, ObjectStore& store,
                        TryAgain& again, const StagedFolder& folder,
                        TransferProgress& progress) {
  std::deque<Fetched> fetched;
  for (const PlannedFile& file : files) {
    if (folder.Has(file)) {
      progress.Add(static_cast<int64_t>(file.bytes));
      continue;
    }
    Fetched& one = fetched.emplace_back(Fetched{PartFile(&file, &folder)});
    RETURN_IF_ERROR(one.part.Resume());
    one.next = one.part.size();
    one.written = one.next;
    progress.Add(static_cast<int64_t>(one.next));
  }
  return Fetcher(options, store, again, progress, &fetched).Run();
}

}  // namespace tributary
