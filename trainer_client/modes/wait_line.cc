#include "trainer_client/modes/wait_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/observe/log_format.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr char kEraseLine[] = "\r\x1b[K";

// Returns the width of the terminal that stderr is; 0 if it is none.
size_t TerminalColumns() {
  if (isatty(STDERR_FILENO) != 1) return 0;
  winsize size{};
  constexpr size_t kUsual = 80;
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
    return kUsual;
  }
  return size.ws_col;
}

// Returns an observer that logs one line for each wait.
WaitObserver LogWaits(const std::string& program) {
  auto line = std::make_shared<WaitLine>(
      program, /*columns=*/0, absl::UTCTimeZone(),
      [program](const std::string& text) {
        const size_t begin = program.size() + 2;  // "PROGRAM: "
        PrintMessage(LogLevel::kWarning, program,
                     text.substr(begin, text.size() - begin - 1));
      });
  return [line](const WaitNotice& notice) { line->Show(notice, absl::Now()); };
}

}  // namespace

WaitLine::WaitLine(std::string program, size_t columns, absl::TimeZone zone,
                   Print print)
    : program_(std::move(program)),
      columns_(columns),
      zone_(zone),
      print_(std::move(print)) {}

void WaitLine::Show(const WaitNotice& notice, absl::Time now) {
  MutexLock lock(mutex_);
  if (notice.reason.empty()) {
    if (std::exchange(shown_, false) && columns_ > 0) print_(kEraseLine);
    return;
  }
  if (std::exchange(shown_, true) && columns_ == 0) return;
  const std::string line = TerminalLine(absl::StrCat(
      program_, ": waiting ",
      absl::ToInt64Seconds(notice.left + absl::Milliseconds(500)),
      " s more, until ", absl::FormatTime("%H:%M:%S", now + notice.left, zone_),
      ": ", notice.reason));
  // A longer one would wrap, and only its last row could be erased.
  print_(columns_ > 0 ? absl::StrCat(kEraseLine, line.substr(0, columns_ - 1))
                      : absl::StrCat(line, "\n"));
}

WaitObserver PrintWaits(const std::string& program) {
  if (CurrentLogFormat() == LogFormat::kJson) return LogWaits(program);
  auto line = std::make_shared<WaitLine>(program, TerminalColumns(),
                                         absl::LocalTimeZone(),
                                         [](const std::string& text) {
                                           std::fputs(text.c_str(), stderr);
                                           std::fflush(stderr);
                                         });
  return [line](const WaitNotice& notice) { line->Show(notice, absl::Now()); };
}

}  // namespace tributary
