// Prints lines without making the caller wait for who reads them.
#ifndef TRIBUTARY_CLI_LAUNCH_LINE_PRINTER_H_
#define TRIBUTARY_CLI_LAUNCH_LINE_PRINTER_H_

#include <deque>
#include <string>
#include <thread>

#include "common/runtime/mutex.h"

namespace tributary {

// Writes lines to stdout and stderr on a thread of its own, in the order in
// which they were given. The destructor writes what is left and joins.
class LinePrinter {
 public:
  LinePrinter();
  ~LinePrinter();
  LinePrinter(const LinePrinter&) = delete;
  LinePrinter& operator=(const LinePrinter&) = delete;

  // Queues a line, without its end. Thread-safe.
  void Print(bool to_stderr, std::string line);
  // Whether so much waits that the caller should give no more. Thread-safe.
  bool full();

 private:
  struct Line {
    bool to_stderr;
    std::string text;
  };
  void Run();

  Mutex mutex_;
  CondVar changed_;
  std::deque<Line> lines_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_LINE_PRINTER_H_
