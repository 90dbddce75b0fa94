// Tells on stderr how far a transfer is.
#ifndef TRIBUTARY_CLI_FETCH_TRANSFER_PROGRESS_H_
#define TRIBUTARY_CLI_FETCH_TRANSFER_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Prints a line that is overwritten twice a second where stderr is a terminal,
// and a line every 10 s where it is not; nothing about transfers that take less
// than that. Runs on a thread of its own, which the destructor joins. Add is
// thread-safe.
class TransferProgress {
 public:
  // `verb` is "fetched" or "stored".
  TransferProgress(std::string program, std::string verb, uint64_t total);
  ~TransferProgress();

  // Counts bytes of `total`; those of a file that begins again are taken back.
  void Add(int64_t bytes) { done_ += bytes; }
  int64_t done() const { return done_; }

 private:
  void Run();
  std::string Line() const;

  const std::string program_;
  const std::string verb_;
  const uint64_t total_;
  const absl::Time began_ = absl::Now();
  std::atomic<int64_t> done_{0};
  Mutex mutex_;
  CondVar stop_changed_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_TRANSFER_PROGRESS_H_
