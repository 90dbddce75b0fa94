// Tells on stderr which stage of a long command runs, and for how long.
#ifndef TRIBUTARY_CLI_COMMAND_STAGE_PROGRESS_H_
#define TRIBUTARY_CLI_COMMAND_STAGE_PROGRESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// On a terminal shows the stage in one line that changes: "PROGRAM: STAGE 45 %
// [=========>           ] 20 s, 25 s left", where it is known how much there is
// to do, and each stage that was reported to be complete at 100 % once.
// Elsewhere prints "PROGRAM: STAGE 45 %, 20 s" every 10 seconds of a stage;
// nothing about shorter ones. Runs on a thread of its own, which the destructor
// joins.
//
//   StageProgress progress("tributary partition", "reads the input");
//   ...
//   progress.Begin("writes the graph");
class StageProgress {
 public:
  StageProgress(std::string program, std::string stage);
  // For tests.
  StageProgress(std::string program, std::string stage, absl::Duration period,
                bool is_terminal);
  ~StageProgress();
  // Thread-safe.
  void Begin(std::string stage);
  // Says how much of a stage is done, in any unit, and begins it if it is
  // another. `total` 0: it is not known. Cheap enough to be called for each
  // block of work. Thread-safe.
  void Report(std::string_view stage, int64_t done, int64_t total);
  // Prints "PROGRAM: note: NOTE" as a line of its own. Thread-safe.
  void Note(std::string_view note);

 private:
  void Run();
  // Shows the current stage in the terminal's line; clears that line.
  void Show() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Clear() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string Text() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string program_;
  const absl::Duration period_;
  const bool is_terminal_;
  Mutex mutex_;
  CondVar changed_;
  std::string stage_ ABSL_GUARDED_BY(mutex_);
  absl::Time began_ ABSL_GUARDED_BY(mutex_) = absl::Now();
  int64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t total_ ABSL_GUARDED_BY(mutex_) = 0;
  bool complete_shown_ ABSL_GUARDED_BY(mutex_) = false;  // of this stage
  bool shown_ ABSL_GUARDED_BY(mutex_) = false;           // the terminal's line
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_STAGE_PROGRESS_H_
