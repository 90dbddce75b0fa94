#include "channel/shm/shm_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/net/fd_message.h"
#include "channel/shm/record.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckTrainer(int door) {
  ucred trainer{};
  socklen_t size = sizeof(trainer);
  if (getsockopt(door, SOL_SOCKET, SO_PEERCRED, &trainer, &size) != 0) {
    return absl::ErrnoToStatus(errno, "the door is no unix socket");
  }
  if (trainer.uid == geteuid()) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the door's other end is user ", trainer.uid,
                   "'s; allowed: user ", geteuid(), "'s, as this process"));
}

}  // namespace

class ShmServer::Door final : public SocketWatcher {
 public:
  Door(StreamAcceptor* acceptor, UniqueFd door, ShmServerOptions options,
       SocketLoop* loop)
      : acceptor_(acceptor),
        door_(std::move(door)),
        options_(std::move(options)),
        loop_(loop) {}

  int fd() const { return door_.get(); }

  void OnWritable() override {}
  void OnReadable() override {
    Hello hello;
    UniqueFd end;
    const ssize_t n = ReceiveWithFd(door_.get(), &hello, sizeof(hello), &end);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
      loop_->Remove(door_.get());
      return options_.trainer_gone();
    }
    if (!end.valid()) return LogError("a stream without its end: ignored");
    AcceptStream(n == sizeof(hello) ? hello : Hello{.magic = 0},
                 std::move(end));
  }

  // On the loop's thread.
  void BreakAll() {
    for (const auto& weak : streams_) {
      if (const auto stream = weak.lock()) {
        stream->Break(absl::UnavailableError("the server has ended"));
      }
    }
    streams_.clear();
  }

 private:
  void AcceptStream(const Hello& hello, UniqueFd end) {
    auto stream =
        std::make_shared<ShmStream>(ShmStream::Side::kServer, std::move(end),
                                    absl::StrCat("trainer of ", options_.name),
                                    loop_, nullptr, options_.stream);
    std::erase_if(streams_, [](const auto& weak) { return weak.expired(); });
    streams_.push_back(stream);
    if (const absl::Status status = CheckHello(hello); !status.ok()) {
      return stream->Refuse(status);
    }
    absl::Status why = absl::UnavailableError("refused");
    // Kept until the refusal is sent, because dropping it closes the stream.
    const std::shared_ptr<Stream> handle = stream->MakeHandle();
    auto handler = acceptor_->Accept(
        static_cast<StreamMethod>(hello.method),
        MakeCaller(absl::StrCat("shm:", options_.name)), handle, &why);
    if (handler != nullptr) return stream->Start(std::move(handler));
    stream->Refuse(absl::Status(
        why.code(), absl::StrCat(options_.name, ": ", why.message())));
  }

  absl::Status CheckHello(const Hello& hello) const {
    if (hello.magic != Hello::kMagic) {
      return absl::DataLossError(
          absl::StrCat(options_.name, ": not a Tributary trainer"));
    }
    if (hello.version != Hello::kShmVersion) {
      return absl::FailedPreconditionError(absl::StrCat(
          options_.name, ": the trainer's shared memory has version ",
          hello.version, "; this worker speaks ", Hello::kShmVersion));
    }
    if (hello.method <= static_cast<uint16_t>(StreamMethod::kData)) {
      return absl::OkStatus();
    }
    return absl::UnimplementedError(
        absl::StrCat(options_.name, ": no method ", hello.method));
  }

  StreamAcceptor* const acceptor_;
  const UniqueFd door_;
  const ShmServerOptions options_;
  SocketLoop* const loop_;
  std::vector<std::weak_ptr<ShmStream>> streams_;  // of the loop's thread
};

absl::StatusOr<std::unique_ptr<ShmServer>> ShmServer::Start(
    StreamAcceptor* acceptor, UniqueFd door, const ShmServerOptions& options) {
  RETURN_IF_ERROR(CheckTrainer(door.get()));
  ASSIGN_OR_RETURN(std::unique_ptr<SocketLoop> loop,
                   SocketLoop::Start("shm-worker"));
  std::unique_ptr<ShmServer> server(new ShmServer(std::move(loop)));
  server->door_ = std::make_shared<Door>(acceptor, std::move(door), options,
                                         server->loop_.get());
  if (!server->loop_->Add(server->door_->fd(), server->door_)) {
    return absl::ResourceExhaustedError("the system watches no more sockets");
  }
  return server;
}

ShmServer::~ShmServer() {
  loop_->Post([door = door_, loop = loop_.get()] {
    loop->Remove(door->fd());
    door->BreakAll();
  });
  loop_.reset();
}

}  // namespace tributary
