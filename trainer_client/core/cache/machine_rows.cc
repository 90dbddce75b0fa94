#include "trainer_client/core/cache/machine_rows.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>

#include "absl/strings/str_cat.h"
#include "channel/net/fd_message.h"
#include "channel/net/socket_loop.h"
#include "common/hash/sha256.h"
#include "common/io/unique_fd.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int kBacklog = 64;
constexpr size_t kMostPieceBytes = size_t{1} << 40;

bool WouldWait() { return errno == EAGAIN || errno == EWOULDBLOCK; }

UniqueFd NewSocket() {
  return UniqueFd(
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

bool IsOfThisUser(int socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == geteuid();
}

FrozenMemory FrozenOf(const std::shared_ptr<SharedMemory>& memory) {
  return {memory->bytes(), memory, memory->fd()};
}

// A name in the abstract namespace.
class RowsAddress {
 public:
  explicit RowsAddress(const std::string& name) {
    address_.sun_family = AF_UNIX;
    std::memcpy(address_.sun_path + 1, name.data(), name.size());
    size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                   name.size());
  }
  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&address_);
  }
  socklen_t size() const { return size_; }

 private:
  sockaddr_un address_{};
  socklen_t size_ = 0;
};

// Unix sockets of that name, on a thread of its own. A peer is a descriptor.
class SocketMeeting final : public RowsMeeting {
 public:
  SocketMeeting(std::unique_ptr<SocketLoop> loop, const std::string& name)
      : thread_(std::move(loop)), loop_(thread_.get()), address_(name) {}
  // Nothing runs once the loop has ended.
  ~SocketMeeting() override { thread_.reset(); }

  absl::Status Bind() override;
  void Unbind() override {
    loop_->Remove(listener_.get());
    listener_ = UniqueFd();
  }
  absl::StatusOr<Peer> Connect() override;
  bool Watch(Peer peer) override;
  void Unwatch(Peer peer) override { loop_->Remove(peer); }
  void WantWritable(Peer peer, bool wanted) override {
    loop_->WantWritable(peer, wanted);
  }
  void Close(Peer peer) override {
    loop_->Remove(peer);
    sockets_.erase(peer);
  }
  Sent Send(Peer peer, const RowsMessage& message,
            const FrozenMemory* memory) override;
  Received Receive(Peer peer) override;
  void Post(std::function<void()> task) override {
    loop_->Post(std::move(task));
  }
  void PostAfter(absl::Duration delay, std::function<void()> task) override {
    loop_->PostAfter(delay, std::move(task));
  }

 private:
  class Listening;
  class Watched;

  void Accept();
  Peer Keep(UniqueFd socket) {
    const Peer peer = socket.get();
    sockets_[peer] = std::move(socket);
    return peer;
  }

  std::unique_ptr<SocketLoop> thread_;
  SocketLoop* const loop_;  // also while the thread ends
  const RowsAddress address_;
  UniqueFd listener_;
  std::map<Peer, UniqueFd> sockets_;
};

class SocketMeeting::Listening final : public SocketWatcher {
 public:
  explicit Listening(SocketMeeting* meeting) : meeting_(meeting) {}
  void OnReadable() override { meeting_->Accept(); }
  void OnWritable() override {}

 private:
  SocketMeeting* const meeting_;
};

class SocketMeeting::Watched final : public SocketWatcher {
 public:
  Watched(Events* events, Peer peer) : events_(events), peer_(peer) {}
  void OnReadable() override { events_->OnReadable(peer_); }
  void OnWritable() override { events_->OnWritable(peer_); }

 private:
  Events* const events_;
  const Peer peer_;
};

absl::Status SocketMeeting::Bind() {
  UniqueFd socket = NewSocket();
  if (!socket.valid() ||
      bind(socket.get(), address_.get(), address_.size()) != 0) {
    if (errno == EADDRINUSE) return absl::AlreadyExistsError("it is taken");
    return absl::UnavailableError("the system binds no unix socket");
  }
  if (listen(socket.get(), kBacklog) != 0 ||
      !loop_->Add(socket.get(), std::make_shared<Listening>(this))) {
    return absl::ResourceExhaustedError("the system grants no descriptor");
  }
  listener_ = std::move(socket);
  return absl::OkStatus();
}

void SocketMeeting::Accept() {
  while (true) {
    UniqueFd socket(accept4(listener_.get(), nullptr, nullptr,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) return;
    if (IsOfThisUser(socket.get())) events()->OnPeer(Keep(std::move(socket)));
  }
}

absl::StatusOr<RowsMeeting::Peer> SocketMeeting::Connect() {
  UniqueFd socket = NewSocket();
  if (!socket.valid() ||
      connect(socket.get(), address_.get(), address_.size()) != 0) {
    return absl::UnavailableError("nobody has the name");
  }
  if (!IsOfThisUser(socket.get())) {
    return absl::PermissionDeniedError("the name is another user's");
  }
  return Keep(std::move(socket));
}

bool SocketMeeting::Watch(Peer peer) {
  return loop_->Add(peer, std::make_shared<Watched>(events(), peer));
}

RowsMeeting::Sent SocketMeeting::Send(Peer peer, const RowsMessage& message,
                                      const FrozenMemory* memory) {
  iovec piece = {const_cast<RowsMessage*>(&message), sizeof(message)};
  const int fd = memory == nullptr ? -1 : memory->fd;
  if (SendWithFd(peer, {&piece, 1}, fd) == sizeof(message)) return Sent::kWhole;
  return WouldWait() ? Sent::kFull : Sent::kBroken;
}

RowsMeeting::Received SocketMeeting::Receive(Peer peer) {
  Received received;
  UniqueFd fd;
  const ssize_t n =
      ReceiveWithFd(peer, &received.message, sizeof(received.message), &fd);
  if (n < 0 && WouldWait()) return received;
  if (n <= 0) {
    received.state = Received::State::kClosed;
    return received;
  }
  if (n != sizeof(RowsMessage) ||
      received.message.magic != RowsMessage::kMagic) {
    received.state = Received::State::kForeign;
    return received;
  }
  received.state = Received::State::kMessage;
  if (received.message.kind != RowsMessage::kPiece) return received;
  const auto memory = SharedMemory::MapFrozen(std::move(fd), kMostPieceBytes);
  if (memory.ok()) {
    received.memory = FrozenOf(*memory);
  } else {
    received.memory = memory.status();
  }
  return received;
}

}  // namespace

MachineRows::MachineRows(std::unique_ptr<RowsMeeting> meeting)
    : state_(std::make_shared<RowsSharing>(meeting.get())),
      meeting_(std::move(meeting)) {
  meeting_->SetEvents(state_.get());
}

MachineRows::~MachineRows() { meeting_.reset(); }

absl::StatusOr<std::unique_ptr<MachineRows>> MachineRows::Start(
    const std::string& identity) {
  ASSIGN_OR_RETURN(std::unique_ptr<SocketLoop> loop,
                   SocketLoop::Start("held-rows"));
  return std::make_unique<MachineRows>(
      std::make_unique<SocketMeeting>(std::move(loop), NameOf(identity)));
}

std::string MachineRows::NameOf(const std::string& identity) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(identity.data());
  return absl::StrCat("tributary-rows-", geteuid(), "-",
                      ToHex(Sha256Of({bytes, identity.size()})).substr(0, 32));
}

void MachineRows::Join(std::optional<double> share, OnJoined on_joined) {
  Post([share, on_joined = std::move(on_joined)](RowsSharing& state) {
    state.Join(share, on_joined);
  });
}

void MachineRows::Attach(std::weak_ptr<HeldRows> rows,
                         std::vector<HeldRows::Type> types) {
  Post([rows = std::move(rows),
        types = std::move(types)](RowsSharing& state) mutable {
    state.Attach(std::move(rows), std::move(types));
  });
}

bool MachineRows::Leads() {
  state_->SetCandidate();
  return state_->fetches();
}

void MachineRows::Resign() {
  Post([](RowsSharing& state) { state.Resign(); });
}

void MachineRows::Offer(int node_type, uint32_t first, uint32_t num_rows,
                        std::shared_ptr<SharedMemory> memory) {
  Post([node_type, first, num_rows,
        memory = FrozenOf(memory)](RowsSharing& state) mutable {
    state.Offer(node_type, first, num_rows, std::move(memory));
  });
}

void MachineRows::Drop(int node_type, uint32_t num_rows) {
  Post([node_type, num_rows](RowsSharing& state) {
    state.Drop(node_type, num_rows);
  });
}

}  // namespace tributary
