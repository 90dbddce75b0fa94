#include "common/runtime/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

#include "common/runtime/mutex.h"
#include "common/runtime/usable_cores.h"

namespace tributary {
namespace {

// State shared by the threads of one loop.
class Loop {
 public:
  using Body = absl::FunctionRef<absl::Status(size_t begin, size_t end)>;

  Loop(size_t n, size_t grain, Body body) : n_(n), grain_(grain), body_(body) {}

  void Run() {
    while (!failed_.load(std::memory_order_relaxed)) {
      const size_t begin = next_.fetch_add(grain_, std::memory_order_relaxed);
      if (begin >= n_) return;
      absl::Status status = body_(begin, std::min(n_, begin + grain_));
      if (!status.ok()) KeepFirstError(begin, std::move(status));
    }
  }

  absl::Status status() {
    MutexLock lock(mutex_);
    return status_;
  }

 private:
  void KeepFirstError(size_t begin, absl::Status status) {
    failed_.store(true, std::memory_order_relaxed);
    MutexLock lock(mutex_);
    if (!status_.ok() && failed_begin_ < begin) return;
    failed_begin_ = begin;
    status_ = std::move(status);
  }

  const size_t n_;
  const size_t grain_;
  const Body body_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> failed_{false};
  Mutex mutex_;
  size_t failed_begin_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::Status ParallelFor(
    size_t n, size_t grain,
    absl::FunctionRef<absl::Status(size_t begin, size_t end)> body) {
  return ParallelFor(n, grain, UsableCores(), body);
}

absl::Status ParallelFor(
    size_t n, size_t grain, int threads,
    absl::FunctionRef<absl::Status(size_t begin, size_t end)> body) {
  Loop loop(n, grain, body);
  const size_t pieces = (n + grain - 1) / grain;
  const size_t wanted = std::min(pieces, static_cast<size_t>(threads));
  std::vector<std::thread> others;
  try {
    while (others.size() + 1 < wanted) others.emplace_back([&] { loop.Run(); });
  } catch (const std::system_error&) {
    // The system grants no more threads: the existing ones do the work.
  }
  loop.Run();
  for (std::thread& thread : others) thread.join();
  return loop.status();
}

}  // namespace tributary
