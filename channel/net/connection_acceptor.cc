#include "channel/net/connection_acceptor.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/ip_host.h"
#include "common/observe/log.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Descriptors that are left for files, peers and logs.
constexpr size_t kOtherDescriptors = 256;
constexpr absl::Duration kPause = absl::Milliseconds(100);  // without them
constexpr absl::Duration kHandoverAfterStop = absl::Milliseconds(100);

// Returns how many connections the process's limit of descriptors allows, up
// to `wanted`, after raising it as far as it may be raised.
size_t LimitByDescriptors(size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t needed = 2 * wanted + kOtherDescriptors;
  if (limit.rlim_cur < needed && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = std::min(needed, limit.rlim_max);
    setrlimit(RLIMIT_NOFILE, &limit);
    getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur >= needed) return wanted;
  const size_t fewer = limit.rlim_cur > 2 * kOtherDescriptors
                           ? (limit.rlim_cur - kOtherDescriptors) / 2
                           : std::max<size_t>(1, limit.rlim_cur / 4);
  LogRepeated(LogLevel::kWarning, "few descriptors",
              absl::StrCat("at most ", fewer, " connections instead of ",
                           wanted, ": ulimit -n is ", limit.rlim_cur));
  return fewer;
}

UniqueFd Spare() { return UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool Watch(const UniqueFd& epoll, int fd, uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  return epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

bool IsOfConnection(int error) {
  return error == ECONNABORTED || error == EINTR || error == EPROTO ||
         error == EPERM;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ConnectionAcceptor>> ConnectionAcceptor::Start(
    std::unique_ptr<ListeningSockets> sockets,
    const ConnectionAcceptorOptions& options, RefusalCounter* refusals,
    Callbacks callbacks, std::shared_ptr<ConnectionTable> table) {
  std::unique_ptr<ConnectionAcceptor> acceptor(
      new ConnectionAcceptor(std::move(sockets), options, refusals,
                             std::move(callbacks), std::move(table)));
  RETURN_IF_ERROR(acceptor->Prepare());
  acceptor->thread_ = std::thread([raw = acceptor.get()] { raw->Run(); });
  return acceptor;
}

ConnectionAcceptor::ConnectionAcceptor(
    std::unique_ptr<ListeningSockets> sockets,
    const ConnectionAcceptorOptions& options, RefusalCounter* refusals,
    Callbacks callbacks, std::shared_ptr<ConnectionTable> table)
    : options_(options),
      refusals_(refusals),
      callbacks_(std::move(callbacks)),
      places_(SharedBudget::Create(
          "max_connections", LimitByDescriptors(options.max_connections))),
      sockets_(std::move(sockets)),
      guard_(options.guard, refusals),
      table_(std::move(table)),
      handover_(callbacks_.accepted) {}

absl::Status ConnectionAcceptor::Prepare() {
  epoll_ = UniqueFd(epoll_create1(EPOLL_CLOEXEC));
  stop_event_ = UniqueFd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  spare_ = Spare();
  bool good = epoll_.valid() && stop_event_.valid() && spare_.valid() &&
              Watch(epoll_, stop_event_.get(), EPOLLIN);
  for (const UniqueFd& socket : sockets_->sockets()) {
    good = good && Watch(epoll_, socket.get(), EPOLLIN);
  }
  if (good) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("cannot accept connections: ", std::strerror(errno)));
}

void ConnectionAcceptor::Stop() {
  if (!thread_.joinable()) return;
  eventfd_write(stop_event_.get(), 1);
  thread_.join();
  // They would be parsed for as long as they send.
  CutHogs(handover_.Stop(kHandoverAfterStop));
  handover_.Stop(absl::InfiniteDuration());
  sockets_.reset();
  guard_.Clear();
  connections_.clear();
}

void ConnectionAcceptor::Run() {
  const Clock& clock = SteadyClock();
  absl::Time second = clock.Now() + absl::Seconds(1);
  absl::Time resume = absl::InfiniteFuture();  // listening, after a lack
  absl::Time look = absl::InfinitePast();
  epoll_event events[64];
  while (true) {
    const int count =
        epoll_wait(epoll_.get(), events, 64,
                   static_cast<int>(guard_.Interval() / absl::Milliseconds(1)));
    for (int i = 0; i < count; ++i) {
      const int fd = events[i].data.fd;
      if (fd == stop_event_.get()) return;
      if (!connections_.contains(fd)) {
        AcceptAll(fd);
      } else if ((events[i].events & EPOLLHUP) != 0) {
        Forget(fd);  // both directions have ended
      } else if (connections_[fd].waiting.valid()) {
        PassOnIfReady(connections_[fd]);
      }
    }
    const absl::Time now = clock.Now();
    if (now < look) continue;
    look = now + ConnectionGuard::kQuick;
    Guard(now);
    if (paused_) resume = std::min(resume, now + kPause);
    if (now >= resume) {
      PauseListening(false);
      resume = absl::InfiniteFuture();
    }
    if (now < second) continue;
    second = now + absl::Seconds(1);
    if (callbacks_.every_second) callbacks_.every_second();
  }
}

void ConnectionAcceptor::Forget(int key) {
  const auto it = connections_.find(key);
  table_->Remove(it->second.key, it->second.use.get());
  handover_.Remove(it->second.share, it->second.id);
  silent_.erase(key);
  guard_.Remove(key);
  // Closing the duplicate does not: the socket is still open elsewhere, and its
  // events would be taken for those of the next connection with this number.
  epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, key, nullptr);
  connections_.erase(it);
}

void ConnectionAcceptor::PassOnSilent(absl::Time now) {
  for (int key : std::vector<int>(silent_.begin(), silent_.end())) {
    Connection& connection = connections_[key];
    if (now - connection.accepted > options_.first_bytes_timeout)
      PassOn(connection);
  }
}

void ConnectionAcceptor::Guard(absl::Time now) {
  PassOnSilent(now);
  if (const auto hog = handover_.Hog()) CutHogs({*hog});
  for (const std::string& share : guard_.CutOffenders(now))
    handover_.Punish(share);
}

void ConnectionAcceptor::CutHogs(const std::vector<uint64_t>& ids) {
  for (const auto& [fd, connection] : connections_) {
    if (std::find(ids.begin(), ids.end(), connection.id) != ids.end()) {
      guard_.CutHog(fd);
    }
  }
}

// Ends after some connections, to look at those that have ended meanwhile.
void ConnectionAcceptor::AcceptAll(int listener) {
  for (int i = 0; i < 64 && !paused_; ++i) {
    if (!AcceptOne(listener)) return;
  }
}

bool ConnectionAcceptor::AcceptOne(int listener) {
  UniqueFd fd(
      accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.valid()) return AcceptFailed(listener, errno);
  Pass(std::move(fd));
  return true;
}

bool ConnectionAcceptor::AcceptFailed(int listener, int error) {
  if (error == EAGAIN || error == EWOULDBLOCK) return false;
  // The one connection was at fault, or is gone already.
  if (IsOfConnection(error)) return true;
  spare_.Reset();
  const UniqueFd fd(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
  if (fd.valid()) {
    Refuse("descriptors", absl::StrCat(std::strerror(error),
                                       "; ulimit -n says how many open files "
                                       "are allowed"));
  }
  spare_ = Spare();
  if (!fd.valid() || !spare_.valid()) PauseListening(true);
  return !paused_;
}

void ConnectionAcceptor::PauseListening(bool pause) {
  for (const UniqueFd& socket : sockets_->sockets()) {
    epoll_event event{};
    event.events = pause ? 0u : uint32_t{EPOLLIN};
    event.data.fd = socket.get();
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, socket.get(), &event);
  }
  paused_ = pause;
  if (!spare_.valid()) spare_ = Spare();
}

absl::StatusOr<std::string> ConnectionAcceptor::ShareOf(int fd) const {
  sockaddr_storage name{};
  socklen_t bytes = sizeof(name);
  getpeername(fd, reinterpret_cast<sockaddr*>(&name), &bytes);
  if (name.ss_family == AF_INET) {
    return HostOfIpv4(reinterpret_cast<sockaddr_in*>(&name)->sin_addr);
  }
  if (name.ss_family == AF_INET6) {
    return HostOfIpv6(reinterpret_cast<sockaddr_in6*>(&name)->sin6_addr);
  }
  ucred peer{};
  bytes = sizeof(peer);
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0) {
    return absl::PermissionDeniedError("a connection of an unknown user");
  }
  if (peer.uid == geteuid() || peer.uid == 0) {
    return absl::StrCat("user ", peer.uid);
  }
  return absl::PermissionDeniedError(
      absl::StrCat("user ", peer.uid, ", process ", peer.pid,
                   "; allowed over a unix socket are the server's own user ",
                   geteuid(), " and root"));
}

void ConnectionAcceptor::Pass(UniqueFd fd) {
  const auto share = ShareOf(fd.get());
  if (!share.ok()) return Refuse("uid", std::string(share.status().message()));
  auto place = places_->Open(*share)->TryTake(1);
  if (!place.ok()) {
    const bool full = places_->used() >= places_->limit();
    return Refuse(full ? "too_many" : "host_share",
                  absl::StrCat(*share, " has ", places_->used_by(*share),
                               " of ", places_->used(),
                               " connections; allowed are ", places_->limit(),
                               " in all, for one host as many as it leaves "
                               "free"));
  }
  UniqueFd duplicate(fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));
  // Reports that both directions have ended, once, and else nothing but, where
  // it is waited for, that the first bytes have arrived.
  const uint32_t events = callbacks_.ready ? EPOLLET | EPOLLIN : EPOLLET;
  if (!duplicate.valid() || !Watch(epoll_, duplicate.get(), events)) {
    return Refuse("descriptors",
                  absl::StrCat(*share, ": ", std::strerror(errno)));
  }
  const int key = duplicate.get();
  Connection& connection = connections_[key];
  connection.duplicate = std::move(duplicate);
  connection.place = *std::move(place);
  connection.share = *share;
  connection.key = ConnectionTable::KeyOfSocket(fd.get());
  connection.use = table_->Add(connection.key);
  connection.id = ++accepted_;
  connection.accepted = SteadyClock().Now();
  connection.waiting = std::move(fd);
  guard_.Add(key, connection.share, connection.use, connection.accepted);
  silent_.insert(key);
  if (!callbacks_.ready) PassOn(connection);
}

void ConnectionAcceptor::PassOnIfReady(Connection& connection) {
  uint8_t first[kFirstBytes];
  const ssize_t bytes = recv(connection.waiting.get(), first, sizeof(first),
                             MSG_PEEK | MSG_DONTWAIT);
  if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // More than kFirstBytes tell no more; and whoever takes it sees its end.
  const size_t known = bytes < 0 ? 0 : static_cast<size_t>(bytes);
  if (known == 0 || callbacks_.ready({first, known}, connection.share) ||
      known == sizeof(first)) {
    PassOn(connection);
  }
}

void ConnectionAcceptor::PassOn(Connection& connection) {
  silent_.erase(connection.duplicate.get());
  if (callbacks_.ready) {
    epoll_event event{};
    event.events = EPOLLET;
    event.data.fd = connection.duplicate.get();
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, event.data.fd, &event);
  }
  handover_.Add({connection.id, connection.share, std::move(connection.waiting),
                 connection.accepted});
}

void ConnectionAcceptor::Refuse(const char* reason, const std::string& why) {
  refusals_->Add(reason, why);
}

}  // namespace tributary
