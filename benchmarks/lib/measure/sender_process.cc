#include "benchmarks/lib/measure/sender_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/lib/measure/rate.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr timeval kTimeout{30, 0};
constexpr int kEndsSoonMs = 1000;

absl::Status SystemError(const char* what, int error) {
  return absl::UnavailableError(
      absl::StrCat("the sending process: ", what, ": ", std::strerror(error)));
}

// Runs between fork and exec, so it makes async-signal-safe calls only. The end
// of standard input, `socket`, also reports that the parent has ended, but not
// to a process that is stopped.
[[noreturn]] void ExecSender(pid_t parent, int socket, int passed_on,
                             char** argv) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
      dup2(socket, STDIN_FILENO) == STDIN_FILENO &&
      (passed_on < 0 || fcntl(passed_on, F_SETFD, 0) == 0)) {
    execv("/proc/self/exe", argv);
  }
  _exit(127);
}

// Returns -1 and sets errno if the system allows no more processes.
pid_t Spawn(std::vector<std::string> arguments, int socket, int passed_on) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) ExecSender(parent, socket, passed_on, argv.data());
  return pid;
}

// Raises no SIGPIPE if the other end has closed.
bool SendText(int socket, const std::string& text) {
  return send(socket, text.data(), text.size(), MSG_NOSIGNAL) ==
         static_cast<ssize_t>(text.size());
}

std::string HowItEnded(int status) {
  if (WIFSIGNALED(status)) {
    return absl::StrCat("was killed by signal ", WTERMSIG(status));
  }
  return absl::StrCat("exited with status ", WEXITSTATUS(status));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SenderProcess>> SenderProcess::Start(
    std::vector<std::string> arguments, int passed_on) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    return SystemError("socketpair", errno);
  }
  std::unique_ptr<SenderProcess> end(new SenderProcess);
  end->socket_ = sockets[0];
  arguments.insert(arguments.begin(), "far-end");
  end->pid_ = Spawn(std::move(arguments), sockets[1], passed_on);
  const int error = errno;
  close(sockets[1]);
  if (end->pid_ < 0) return SystemError("fork", error);
  if (setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &kTimeout,
                 sizeof(kTimeout)) != 0) {
    return SystemError("setsockopt", errno);
  }
  ASSIGN_OR_RETURN(const double port, end->ReceiveNumber());
  end->port_ = static_cast<uint16_t>(port);
  return end;
}

SenderProcess::~SenderProcess() {
  close(socket_);
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

absl::StatusOr<double> SenderProcess::CpuSeconds() {
  if (!SendText(socket_, "?")) return CauseOf(SystemError("send", errno));
  return ReceiveNumber();
}

// Receives one packet, which is a number as text.
absl::StatusOr<double> SenderProcess::ReceiveNumber() {
  char text[64];
  ssize_t length;
  do {
    length = recv(socket_, text, sizeof(text), 0);
  } while (length < 0 && errno == EINTR);
  if (length < 0) return CauseOf(SystemError("recv", errno));
  double number = 0;
  const absl::string_view said(text, static_cast<size_t>(length));
  if (absl::SimpleAtod(said, &number)) return number;
  return CauseOf(absl::UnavailableError("the sending process says nothing"));
}

// Waits a second for the child's end: its sockets close a little before it can
// be waited for.
bool SenderProcess::EndsSoon() const {
  if (pid_ <= 0) return false;
  const auto fd = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  if (fd < 0) return false;
  pollfd ended{fd, POLLIN, 0};
  const bool ends = poll(&ended, 1, kEndsSoonMs) == 1;
  close(fd);
  return ends;
}

absl::Status SenderProcess::CauseOf(absl::Status error) {
  int how = 0;
  if (!EndsSoon() || waitpid(pid_, &how, WNOHANG) != pid_) return error;
  pid_ = -1;
  return absl::UnavailableError(
      absl::StrCat("the sending process ", HowItEnded(how)));
}

void ServeSenderProcess(uint16_t port) {
  if (!SendText(STDIN_FILENO, absl::StrCat(port))) return;
  char question;
  while (recv(STDIN_FILENO, &question, 1, 0) > 0) {
    const std::string answer = absl::StrFormat("%.9f", ProcessCpuSeconds());
    if (!SendText(STDIN_FILENO, answer)) return;
  }
}

}  // namespace tributary
