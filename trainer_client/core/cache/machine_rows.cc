#include "trainer_client/core/cache/machine_rows.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "channel/net/fd_message.h"
#include "common/hash/sha256.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr absl::Duration kRetry = absl::Milliseconds(200);
constexpr absl::Duration kHelloTimeout = absl::Seconds(5);
constexpr int kBacklog = 64;
constexpr size_t kMostFollowers = 1024;

// What the two ends send; a piece's memory comes beside it.
struct Message {
  static constexpr uint32_t kMagic = 0x31525254;  // another one: version
  enum Kind : uint32_t { kHello = 1, kPiece = 2, kDrop = 3 };
  uint32_t magic = kMagic;
  uint32_t kind = kHello;
  uint32_t node_type = 0;
  uint32_t num_rows = 0;
  uint64_t first = 0;
  uint64_t sequence = 0;  // of the piece, in the leader's order
  double share = 0;
};
static_assert(std::is_trivially_copyable_v<Message> && sizeof(Message) == 40);

// As SendWithFd.
ssize_t Send(int socket, const Message& message, int fd = -1) {
  iovec piece = {const_cast<Message*>(&message), sizeof(message)};
  return SendWithFd(socket, {&piece, 1}, fd);
}

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

}  // namespace

// All but the atomic members is the loop's thread's.
class MachineRows::Loop : public std::enable_shared_from_this<Loop> {
 public:
  Loop(SocketLoop* loop, const std::string& identity)
      : loop_(loop), address_(NameOf(identity)) {}

  void Join(std::optional<double> share, OnJoined on_joined);
  void Attach(std::weak_ptr<HeldRows> rows, std::vector<HeldRows::Type> types);
  void Resign();
  void Offer(int node_type, uint32_t first, uint32_t num_rows,
             std::shared_ptr<SharedMemory> memory);
  void Drop(int node_type, uint32_t num_rows);

  SocketLoop* loop() const { return loop_; }
  // Without a leader to share with, each process fetches its own.
  bool fetches() const { return leads_ || alone_; }
  void SetCandidate() { candidate_ = true; }

 private:
  struct Piece {
    uint64_t sequence = 0;
    int node_type = 0;
    uint32_t first = 0, num_rows = 0;
    std::shared_ptr<SharedMemory> memory;
  };
  struct Follower {
    UniqueFd socket;
    uint64_t next = 0;  // sequence
  };
  // Passes the events of one socket on.
  class Watcher final : public SocketWatcher {
   public:
    using Event = void (Loop::*)(int socket);
    Watcher(std::shared_ptr<Loop> state, int socket, Event readable,
            Event writable)
        : state_(std::move(state)),
          socket_(socket),
          readable_(readable),
          writable_(writable) {}
    void OnReadable() override { (*state_.*readable_)(socket_); }
    void OnWritable() override { (*state_.*writable_)(socket_); }

   private:
    const std::shared_ptr<Loop> state_;
    const int socket_;
    const Event readable_, writable_;
  };

  bool Watch(int socket, Watcher::Event readable,
             Watcher::Event writable = &Loop::Ignore) {
    return loop_->Add(
        socket, std::make_shared<Watcher>(shared_from_this(), socket, readable,
                                          writable));
  }
  void Ignore(int) {}
  void Attempt();
  void AttemptLater(absl::Duration pause = kRetry) {
    loop_->PostAfter(pause, [weak = weak_from_this()] {
      if (auto self = weak.lock()) self->Attempt();
    });
  }
  void Answer(const std::optional<Joined>& joined) {
    joined_ = joined;
    for (const OnJoined& call : std::exchange(callers_, {})) call(joined);
  }
  void GoAlone(const char* why);

  // Leading.
  bool Bind();
  void OnFollowers(int);
  void SendPieces(int socket);
  void OnFollower(int socket);
  void Close(int socket);

  // Following.
  bool Connect();
  void OnLeader(int);
  void LoseLeader();
  void TakeHello(const Message& hello);
  void TakePiece(const Message& message, UniqueFd memory);
  bool IsPiece(const Message& message, size_t bytes) const;

  // Removes the pieces of a type from row `num_rows` on.
  void Truncate(int node_type, uint32_t num_rows) {
    std::erase_if(pieces_, [&](const Piece& piece) {
      return piece.node_type == node_type && piece.first >= num_rows;
    });
  }

  SocketLoop* const loop_;
  const RowsAddress address_;
  std::optional<double> share_;  // none: it cannot lead
  std::optional<Joined> joined_;
  std::vector<OnJoined> callers_;  // of Join, until it has joined
  std::atomic<bool> candidate_{false}, leads_{false}, alone_{false};
  std::weak_ptr<HeldRows> rows_;
  std::vector<HeldRows::Type> types_;
  std::vector<Piece> pieces_;  // sequences ascend
  uint64_t next_sequence_ = 1;
  UniqueFd listener_;
  std::map<int, Follower> followers_;
  UniqueFd leader_;
  bool greeted_ = false;  // by the leader
  uint64_t leaders_ = 0;  // counts them
};

void MachineRows::Loop::Join(std::optional<double> share, OnJoined on_joined) {
  if (joined_.has_value()) return on_joined(joined_);
  callers_.push_back(std::move(on_joined));
  if (share.has_value() && !share_.has_value()) {
    share_ = share;
    candidate_ = true;
  }
  Attempt();
}

void MachineRows::Loop::Attempt() {
  if (leads_ || alone_ || leader_.valid()) return;
  if (candidate_ && share_.has_value() && Bind()) return;
  if (alone_ || Connect()) return;
  share_.has_value() ? AttemptLater() : Answer(std::nullopt);
}

void MachineRows::Loop::GoAlone(const char* why) {
  alone_ = true;
  Log(LogLevel::kInfo,
      absl::StrCat("trainer_cache: rows are not shared with other processes: ",
                   why));
  Answer(Joined{false, share_.value_or(0)});
}

bool MachineRows::Loop::Bind() {
  UniqueFd socket = NewSocket();
  if (!socket.valid() ||
      bind(socket.get(), address_.get(), address_.size()) != 0) {
    if (errno != EADDRINUSE) GoAlone("the system binds no unix socket");
    return false;
  }
  if (listen(socket.get(), kBacklog) != 0 ||
      !Watch(socket.get(), &Loop::OnFollowers)) {
    GoAlone("the system grants no descriptor");
    return false;
  }
  listener_ = std::move(socket);
  leads_ = true;
  Answer(Joined{true, *share_});
  return true;
}

void MachineRows::Loop::OnFollowers(int) {
  while (true) {
    UniqueFd socket(accept4(listener_.get(), nullptr, nullptr,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) return;
    const int fd = socket.get();
    Message hello;
    hello.share = *share_;
    if (!IsOfThisUser(fd) || followers_.size() >= kMostFollowers ||
        Send(fd, hello) != sizeof(hello) ||
        !Watch(fd, &Loop::OnFollower, &Loop::SendPieces)) {
      continue;
    }
    followers_[fd].socket = std::move(socket);
    SendPieces(fd);
  }
}

void MachineRows::Loop::SendPieces(int socket) {
  const auto found = followers_.find(socket);
  if (found == followers_.end()) return;
  uint64_t& next = found->second.next;
  for (const Piece& piece : pieces_) {
    if (piece.sequence < next) continue;
    Message message;
    message.kind = Message::kPiece;
    message.node_type = static_cast<uint32_t>(piece.node_type);
    message.first = piece.first;
    message.num_rows = piece.num_rows;
    message.sequence = piece.sequence;
    if (Send(socket, message, piece.memory->fd()) < 0) {
      if (!WouldWait()) return Close(socket);
      return loop_->WantWritable(socket, true);
    }
    next = piece.sequence + 1;
  }
  loop_->WantWritable(socket, false);
}

void MachineRows::Loop::OnFollower(int socket) {
  Message message;
  UniqueFd unwanted;
  const ssize_t n = ReceiveWithFd(socket, &message, sizeof(message), &unwanted);
  if (n < 0 && WouldWait()) return;
  const auto found = followers_.find(socket);
  if (found == followers_.end()) return;
  if (n != sizeof(message) || message.magic != Message::kMagic ||
      message.kind != Message::kDrop) {
    return Close(socket);
  }
  const auto piece =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& candidate) {
        return candidate.sequence == message.sequence;
      });
  // Else it was replaced meanwhile.
  if (piece != pieces_.end()) {
    const Piece damaged = *piece;
    Truncate(damaged.node_type, damaged.first);
    if (auto rows = rows_.lock()) rows->Drop(damaged.node_type, damaged.first);
  }
  found->second.next = 0;
  SendPieces(socket);
}

void MachineRows::Loop::Close(int socket) {
  loop_->Remove(socket);
  followers_.erase(socket);
}

bool MachineRows::Loop::Connect() {
  UniqueFd socket = NewSocket();
  if (!socket.valid() ||
      connect(socket.get(), address_.get(), address_.size()) != 0) {
    return false;
  }
  if (!IsOfThisUser(socket.get())) {
    GoAlone("the name is another user's");
    return true;
  }
  if (!Watch(socket.get(), &Loop::OnLeader)) return false;
  leader_ = std::move(socket);
  greeted_ = false;
  loop_->PostAfter(kHelloTimeout,
                   [weak = weak_from_this(), leader = ++leaders_] {
                     const auto self = weak.lock();
                     if (self == nullptr || self->leaders_ != leader ||
                         self->greeted_ || !self->leader_.valid()) {
                       return;
                     }
                     self->LoseLeader();
                     self->GoAlone("the process that fetches is silent");
                   });
  return true;
}

void MachineRows::Loop::LoseLeader() {
  loop_->Remove(leader_.get());
  leader_ = UniqueFd();
}

void MachineRows::Loop::OnLeader(int) {
  // Until the rows are known, pieces stay in the socket.
  while (leader_.valid() && (!greeted_ || !types_.empty())) {
    Message message;
    UniqueFd memory;
    const ssize_t n =
        ReceiveWithFd(leader_.get(), &message, sizeof(message), &memory);
    if (n < 0 && WouldWait()) return;
    if (n <= 0) {
      LoseLeader();
      return AttemptLater();
    }
    if (n != sizeof(message) || message.magic != Message::kMagic) {
      LoseLeader();
      return GoAlone("the process that fetches is of another version");
    }
    message.kind == Message::kHello ? TakeHello(message)
                                    : TakePiece(message, std::move(memory));
  }
  if (leader_.valid()) loop_->Remove(leader_.get());
}

void MachineRows::Loop::TakeHello(const Message& hello) {
  greeted_ = true;
  if (!joined_.has_value()) share_ = hello.share;
  if (*share_ != hello.share) {
    LoseLeader();
    return GoAlone("the process that fetches holds another share");
  }
  Answer(Joined{true, *share_});
}

bool MachineRows::Loop::IsPiece(const Message& m, size_t bytes) const {
  if (m.node_type >= types_.size() || m.first > UINT32_MAX) return false;
  const HeldRows::Type& type = types_[m.node_type];
  if (m.num_rows == 0 || m.first % type.rows_per_piece != 0 ||
      m.first >= type.most_rows) {
    return false;
  }
  const uint64_t rows =
      std::min<uint64_t>(type.rows_per_piece, type.most_rows - m.first);
  return m.num_rows == rows && bytes >= rows * type.form.record();
}

void MachineRows::Loop::TakePiece(const Message& message, UniqueFd fd) {
  constexpr size_t kMostBytes = size_t{1} << 40;
  const auto rows = rows_.lock();
  auto memory = SharedMemory::MapFrozen(std::move(fd), kMostBytes);
  if (rows == nullptr || !memory.ok() ||
      !IsPiece(message, (*memory)->bytes().size())) {
    if (rows == nullptr) return;
    LoseLeader();
    return GoAlone("the process that fetches sends other rows");
  }
  const auto type = static_cast<int>(message.node_type);
  const auto first = static_cast<uint32_t>(message.first);
  if (rows->view()->types[type].num_rows != first) return;  // is there already
  Truncate(type, first);
  pieces_.push_back({message.sequence, type, first, message.num_rows, *memory});
  next_sequence_ = std::max(next_sequence_, message.sequence + 1);
  const uint8_t* records = (*memory)->bytes().data();
  rows->AddPiece(type, first, {records, *std::move(memory)}, message.num_rows);
}

void MachineRows::Loop::Attach(std::weak_ptr<HeldRows> rows,
                               std::vector<HeldRows::Type> types) {
  if (!types_.empty()) return;
  rows_ = std::move(rows);
  types_ = std::move(types);
  if (!leader_.valid()) return;
  loop_->Remove(leader_.get());
  if (!Watch(leader_.get(), &Loop::OnLeader)) {
    leader_ = UniqueFd();
    return AttemptLater();
  }
  OnLeader(leader_.get());
}

void MachineRows::Loop::Resign() {
  candidate_ = false;
  if (!leads_.exchange(false)) return;
  loop_->Remove(listener_.get());
  listener_ = UniqueFd();
  while (!followers_.empty()) Close(followers_.begin()->first);
  AttemptLater(5 * kRetry);
}

void MachineRows::Loop::Offer(int node_type, uint32_t first, uint32_t num_rows,
                              std::shared_ptr<SharedMemory> memory) {
  Truncate(node_type, first);
  pieces_.push_back(
      {next_sequence_++, node_type, first, num_rows, std::move(memory)});
  std::vector<int> sockets;
  for (const auto& [socket, follower] : followers_) sockets.push_back(socket);
  for (const int socket : sockets) SendPieces(socket);
}

void MachineRows::Loop::Drop(int node_type, uint32_t num_rows) {
  const auto piece =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& candidate) {
        return candidate.node_type == node_type && candidate.first >= num_rows;
      });
  if (piece == pieces_.end()) return;
  Message message;
  message.kind = Message::kDrop;
  message.sequence = piece->sequence;
  Truncate(node_type, num_rows);
  if (!leader_.valid() || Send(leader_.get(), message) >= 0) return;
  LoseLeader();  // it sends everything to whoever comes anew
  AttemptLater();
}

absl::StatusOr<std::unique_ptr<MachineRows>> MachineRows::Start(
    const std::string& identity) {
  ASSIGN_OR_RETURN(std::unique_ptr<SocketLoop> loop,
                   SocketLoop::Start("held-rows"));
  auto state = std::make_shared<Loop>(loop.get(), identity);
  return std::unique_ptr<MachineRows>(
      new MachineRows(std::move(loop), std::move(state)));
}

void MachineRows::Join(std::optional<double> share, OnJoined on_joined) {
  loop_->Post([state = state_, share, on_joined = std::move(on_joined)] {
    state->Join(share, on_joined);
  });
}

std::string MachineRows::NameOf(const std::string& identity) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(identity.data());
  return absl::StrCat("tributary-rows-", geteuid(), "-",
                      ToHex(Sha256Of({bytes, identity.size()})).substr(0, 32));
}

// Nothing runs once the loop has ended.
MachineRows::~MachineRows() { loop_.reset(); }

void MachineRows::Attach(std::weak_ptr<HeldRows> rows,
                         std::vector<HeldRows::Type> types) {
  loop_->Post([state = state_, rows = std::move(rows),
               types = std::move(types)]() mutable {
    state->Attach(std::move(rows), std::move(types));
  });
}

bool MachineRows::Leads() {
  state_->SetCandidate();
  return state_->fetches();
}

void MachineRows::Resign() {
  loop_->Post([state = state_] { state->Resign(); });
}

void MachineRows::Offer(int node_type, uint32_t first, uint32_t num_rows,
                        std::shared_ptr<SharedMemory> memory) {
  loop_->Post([state = state_, node_type, first, num_rows,
               memory = std::move(memory)]() mutable {
    state->Offer(node_type, first, num_rows, std::move(memory));
  });
}

void MachineRows::Drop(int node_type, uint32_t num_rows) {
  loop_->Post([state = state_, node_type, num_rows] {
    state->Drop(node_type, num_rows);
  });
}

}  // namespace tributary
