// Tells on stderr which stage of a long command runs, and for how long.
#ifndef TRIBUTARY_CLI_COMMAND_STAGE_PROGRESS_H_
#define TRIBUTARY_CLI_COMMAND_STAGE_PROGRESS_H_

#include <string>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Prints "PROGRAM: STAGE, 20 s" every 10 seconds of a stage; nothing about
// shorter ones. Runs on a thread of its own, which the destructor joins.
//
//   StageProgress progress("tributary partition", "reads the input");
//   ...
//   progress.Begin("writes the graph");
class StageProgress {
 public:
  StageProgress(std::string program, std::string stage,
                absl::Duration period = absl::Seconds(10));
  ~StageProgress();
  // Thread-safe.
  void Begin(std::string stage);

 private:
  void Run();

  const std::string program_;
  const absl::Duration period_;
  Mutex mutex_;
  CondVar changed_;
  std::string stage_ ABSL_GUARDED_BY(mutex_);
  absl::Time began_ ABSL_GUARDED_BY(mutex_) = absl::Now();
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_STAGE_PROGRESS_H_
