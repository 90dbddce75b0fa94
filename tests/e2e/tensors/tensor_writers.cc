// Writers that add to a tensor on servers that are killed under them.
//
// Each writer is a rank on a thread of its own, which adds 1 to random rows, a
// push after the other. After every --interval pushes all ranks write a
// snapshot. When a server that holds rows dies, the attempt ends for every
// rank; the next attempt restores the newest snapshot and repeats the pushes
// that came after it. In the end the table must be that of all pushes, each
// added once. Prints a line for each event:
//
//   attempt N
//   snapshot K          after K pushes of each writer
//   ended CODE: TEXT    the attempt; of the first rank whose call has failed
//   equal ADDS          the table is the expected one
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/random/philox.h"
#include "common/random/purpose_key.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/tensor_snapshot.h"

namespace tributary {
namespace {

struct Settings {
  std::string servers;
  std::string snapshots;  // folder
  int writers = 32;
  uint64_t pushes = 316;  // of each writer
  uint64_t interval = 79;
  int64_t rows = 5000;
  int64_t dim = 2;
  int rows_per_push = 100;
  int max_attempts = 20;
  double timeout_s = 20;
};

void PrintLine(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

// The rows of a push; some come several times.
std::vector<int64_t> RowsOf(const Settings& settings, int writer,
                            uint64_t push) {
  PhiloxStream words(MakePurposeKey("test,tensor-writers", push),
                     static_cast<uint32_t>(writer));
  std::vector<int64_t> rows(static_cast<size_t>(settings.rows_per_push));
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = static_cast<int64_t>(words.BelowWide(
        static_cast<uint32_t>(i), static_cast<uint64_t>(settings.rows)));
  }
  return rows;
}

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(T)};
}

std::string SnapshotFolder(const Settings& settings, uint64_t pushes) {
  return absl::StrCat(settings.snapshots, "/", pushes);
}

// Returns the pushes of the newest snapshot; 0: there is none.
uint64_t NewestSnapshot(const Settings& settings) {
  uint64_t newest = 0;
  for (uint64_t k = settings.interval; k <= settings.pushes;
       k += settings.interval) {
    if (std::filesystem::exists(SnapshotFolder(settings, k))) newest = k;
  }
  return newest;
}

// One rank in one attempt.
class Writer {
 public:
  Writer(const Settings& settings, int rank, uint64_t attempt, uint64_t done)
      : settings_(settings), rank_(rank), attempt_(attempt), done_(done) {}

  absl::Status Run() {
    RETURN_IF_ERROR(Open());
    while (done_ < settings_.pushes) {
      RETURN_IF_ERROR(Push(done_));
      if (++done_ % settings_.interval == 0) RETURN_IF_ERROR(Snapshot());
    }
    RETURN_IF_ERROR(context_->Barrier("written"));
    return rank_ == 0 ? Compare() : absl::OkStatus();
  }

 private:
  absl::Status Open() {
    RemoteDistSamplingWorkerOptions worker;
    worker.servers = settings_.servers;
    worker.num_rpc_threads = 1;
    ASSIGN_OR_RETURN(workers_, SamplingWorkers::Open(worker));
    DistContextOptions options;
    options.rank = rank_;
    options.world_size = settings_.writers;
    options.attempt = attempt_;
    options.timeout = absl::Seconds(settings_.timeout_s);
    ASSIGN_OR_RETURN(context_, DistContext::Open(workers_.get(), options));
    if (done_ > 0) {
      RETURN_IF_ERROR(context_->RestoreFrom(
          rank_ == 0 ? SnapshotFolder(settings_, done_) : ""));
    }
    DistTensorOptions tensor;
    tensor.name = "sums";
    tensor.num_rows = settings_.rows;
    tensor.dim = settings_.dim;
    tensor.dtype = DType::kInt64;
    ASSIGN_OR_RETURN(tensor_, DistTensor::Create(*context_, tensor));
    return absl::OkStatus();
  }

  absl::Status Push(uint64_t push) {
    const std::vector<int64_t> rows = RowsOf(settings_, rank_, push);
    const std::vector<int64_t> ones(
        rows.size() * static_cast<size_t>(settings_.dim), 1);
    return tensor_->Add(rows, BytesOf(ones));
  }

  // The folder appears whole, when all ranks have done their pushes.
  absl::Status Snapshot() {
    const std::string folder = SnapshotFolder(settings_, done_);
    const std::string unfinished =
        absl::StrCat(folder, ".unfinished-", attempt_);
    if (rank_ == 0) std::filesystem::create_directories(unfinished);
    RETURN_IF_ERROR(context_->Barrier("snapshot"));
    RETURN_IF_ERROR(
        WriteTensorSnapshot(*context_, [&](const std::string& name) {
          return absl::StatusOr<std::string>(
              absl::StrCat(unfinished, "/", name));
        }));
    if (rank_ == 0) {
      std::filesystem::rename(unfinished, folder);
      PrintLine(absl::StrCat("snapshot ", done_));
    }
    return context_->Barrier("snapshot written");
  }

  absl::Status Compare() {
    std::vector<int64_t> expected(static_cast<size_t>(settings_.rows));
    uint64_t adds = 0;
    for (int writer = 0; writer < settings_.writers; ++writer) {
      for (uint64_t push = 0; push < settings_.pushes; ++push) {
        for (const int64_t row : RowsOf(settings_, writer, push)) {
          ++expected[static_cast<size_t>(row)];
          ++adds;
        }
      }
    }
    std::vector<int64_t> rows(expected.size());
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int64_t>(i);
    const auto dim = static_cast<size_t>(settings_.dim);
    std::vector<int64_t> table(rows.size() * dim);
    RETURN_IF_ERROR(
        tensor_->Read(rows, {reinterpret_cast<uint8_t*>(table.data()),
                             table.size() * sizeof(int64_t)}));
    for (size_t i = 0; i < table.size(); ++i) {
      if (table[i] == expected[i / dim]) continue;
      return absl::InternalError(absl::StrCat("row ", i / dim, " holds ",
                                              table[i], " and not ",
                                              expected[i / dim]));
    }
    PrintLine(absl::StrCat("equal ", adds));
    return absl::OkStatus();
  }

  const Settings& settings_;
  const int rank_;
  const uint64_t attempt_;
  uint64_t done_;  // pushes
  std::unique_ptr<SamplingWorkers> workers_;
  std::unique_ptr<DistContext> context_;
  std::unique_ptr<DistTensor> tensor_;
};

// Runs all ranks; returns the first error.
absl::Status RunAttempt(const Settings& settings, uint64_t attempt) {
  const uint64_t done = NewestSnapshot(settings);
  Mutex mutex;
  absl::Status first;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < settings.writers; ++rank) {
    threads.emplace_back([&, rank] {
      const absl::Status status = Writer(settings, rank, attempt, done).Run();
      MutexLock lock(mutex);
      first.Update(status);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return first;
}

int Run(const Settings& settings) {
  for (int attempt = 1; attempt <= settings.max_attempts; ++attempt) {
    PrintLine(absl::StrCat("attempt ", attempt));
    const absl::Status status =
        RunAttempt(settings, static_cast<uint64_t>(attempt));
    if (status.ok()) return 0;
    PrintLine(absl::StrCat("ended ", status.ToString()));
    if (absl::IsInternal(status)) return 1;
  }
  return 1;
}

int Main(int argc, char** argv) {
  Settings settings;
  CLI::App app("Writers of a tensor, for tests that kill servers.");
  app.add_option("--servers", settings.servers)->required();
  app.add_option("--snapshots", settings.snapshots)->required();
  app.add_option("--writers", settings.writers);
  app.add_option("--pushes", settings.pushes);
  app.add_option("--interval", settings.interval);
  app.add_option("--timeout", settings.timeout_s);
  CLI11_PARSE(app, argc, argv);
  return Run(settings);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) { return tributary::Main(argc, argv); }
