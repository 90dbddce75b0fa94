#include "cli/dispatch/shell_command.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/io/unique_fd.h"

namespace tributary {
namespace {

constexpr size_t kKept = 2048;

absl::Status SystemError(const char* what) {
  return absl::UnavailableError(absl::StrCat("cannot start a command: ", what,
                                             ": ", std::strerror(errno)));
}

// Runs between fork and exec, so it makes async-signal-safe calls only.
[[noreturn]] void ExecShell(pid_t parent, int null, int output,
                            const char* command) {
  sigset_t none;
  sigemptyset(&none);
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() == parent &&
      sigprocmask(SIG_SETMASK, &none, nullptr) == 0 &&
      signal(SIGPIPE, SIG_DFL) != SIG_ERR &&
      signal(SIGXFSZ, SIG_DFL) != SIG_ERR && dup2(null, STDIN_FILENO) >= 0 &&
      dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0) {
    execl("/bin/sh", "sh", "-c", command, nullptr);
  }
  _exit(127);
}

// Reads to the end; returns the last bytes.
std::string ReadTail(int fd) {
  std::string tail;
  char piece[4096];
  while (true) {
    const ssize_t n = read(fd, piece, sizeof(piece));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return tail;
    tail.append(piece, static_cast<size_t>(n));
    if (tail.size() > kKept) tail.erase(0, tail.size() - kKept);
  }
}

}  // namespace

absl::StatusOr<ShellResult> RunShellCommand(const std::string& command) {
  const UniqueFd null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  int ends[2];
  if (null.get() < 0 || pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe");
  const UniqueFd reads(ends[0]);
  UniqueFd writes(ends[1]);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return SystemError("fork");
  if (pid == 0) ExecShell(parent, null.get(), ends[1], command.c_str());
  writes.Reset();
  ShellResult result;
  result.output = ReadTail(reads.get());
  while (waitpid(pid, &result.wait_status, 0) < 0 && errno == EINTR) {
  }
  return result;
}

}  // namespace tributary
