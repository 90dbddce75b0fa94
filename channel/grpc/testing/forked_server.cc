#include "channel/grpc/testing/forked_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

class Echo final : public StreamHandler {
 public:
  explicit Echo(std::shared_ptr<Stream> stream) : stream_(std::move(stream)) {}
  void OnMessage(IncomingMessage& message) override {
    OutgoingMessage reply;
    reply.kind = message.kind();
    reply.call_id = message.call_id();
    reply.header = std::string(message.header());
    (void)stream_->Send(std::move(reply));
  }
  void OnClosed(const absl::Status&) override { stream_.reset(); }

 private:
  std::shared_ptr<Stream> stream_;
};

class EchoAcceptor final : public StreamAcceptor {
 public:
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status*) override {
    return std::make_shared<Echo>(std::move(stream));
  }
};

[[noreturn]] void Serve(const NetworkServerOptions& options,
                        const ForkedServer::Start& start, int port_pipe,
                        int lifeline) {
  EchoAcceptor acceptor;
  const auto server = start(options, &acceptor);
  if (!server.ok()) _exit(1);
  (*server)->SetServing(true);
  const uint16_t port = (*server)->address().port;
  if (write(port_pipe, &port, sizeof(port)) != sizeof(port)) _exit(1);
  close(port_pipe);
  char c;
  while (read(lifeline, &c, 1) > 0) {
  }
  _exit(0);
}

}  // namespace

ForkedServer::ForkedServer(const NetworkServerOptions& options,
                           const std::function<void()>& prepare,
                           const Start& start) {
  int ports[2], line[2];
  if (pipe2(ports, O_CLOEXEC) != 0 || pipe2(line, O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    close(line[1]);
    prepare();
    Serve(options, start, ports[1], line[0]);
  }
  lifeline_ = UniqueFd(line[1]);
  close(line[0]);
  close(ports[1]);
  if (read(ports[0], &port_, sizeof(port_)) != sizeof(port_)) port_ = 0;
  close(ports[0]);
}

ForkedServer::~ForkedServer() {
  if (pid_ < 0 || ended_) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool ForkedServer::running() {
  if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
  return pid_ > 0 && !ended_;
}

std::string ForkedServer::ending() const {
  if (!ended_) return "running";
  return WIFSIGNALED(status_)
             ? absl::StrCat("signal ", WTERMSIG(status_))
             : absl::StrCat("exit code ", WEXITSTATUS(status_));
}

size_t ForkedServer::StatusBytes(const char* key) const {
  std::ifstream status(absl::StrCat("/proc/", pid_, "/status"));
  std::string word;
  while (status >> word) {
    size_t kib = 0;
    if (word == key && status >> kib) return kib << 10;
  }
  return 0;
}

size_t ForkedServer::resident_bytes() const { return StatusBytes("VmRSS:"); }

size_t ForkedServer::peak_resident_bytes() const {
  return StatusBytes("VmHWM:");
}

absl::Duration ForkedServer::cpu_time() const {
  clockid_t clock;
  timespec spent{};
  if (clock_getcpuclockid(pid_, &clock) != 0) return absl::ZeroDuration();
  clock_gettime(clock, &spent);
  return absl::DurationFromTimespec(spent);
}

}  // namespace tributary
