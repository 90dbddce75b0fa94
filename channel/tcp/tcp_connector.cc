#include "channel/tcp/tcp_connector.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

SocketName UnixName(const std::string& path) {
  SocketName named;
  auto* const name = reinterpret_cast<sockaddr_un*>(&named.name);
  name->sun_family = AF_UNIX;
  path.copy(name->sun_path, sizeof(name->sun_path) - 1);
  named.bytes = sizeof(sockaddr_un);
  return named;
}

void SetOptions(const UniqueFd& socket, absl::Duration user_timeout) {
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  const int ms = static_cast<int>(absl::ToInt64Milliseconds(user_timeout));
  setsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}

}  // namespace

absl::StatusOr<std::vector<SocketName>> NamesOf(const Address& address,
                                                bool numeric) {
  if (address.is_unix()) return std::vector{UnixName(address.host.substr(5))};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (numeric ? AI_NUMERICHOST : 0);
  addrinfo* found = nullptr;
  const int code =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(),
                  &hints, &found);
  if (numeric && code == EAI_NONAME) return absl::NotFoundError("a host name");
  if (code != 0) {
    return absl::UnavailableError(
        absl::StrCat(address.ToString(), ": ", gai_strerror(code)));
  }
  const absl::Cleanup free_found = [found] { freeaddrinfo(found); };
  std::vector<SocketName> names;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    SocketName& named = names.emplace_back();
    std::memcpy(&named.name, each->ai_addr, each->ai_addrlen);
    named.bytes = each->ai_addrlen;
  }
  return names;
}

void TcpConnector::Start(SocketLoop* loop, std::vector<SocketName> names,
                         std::string server, absl::Duration timeout,
                         absl::Duration user_timeout, Done done) {
  auto connector = std::make_shared<TcpConnector>(
      loop, std::move(names), std::move(server), user_timeout, std::move(done));
  loop->Post([connector] { connector->TryNext(); });
  loop->PostAfter(timeout, [weak = connector->weak_from_this(), timeout] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->Finish(absl::UnavailableError(
        absl::StrCat(self->server_, ": not connected within ",
                     absl::FormatDuration(timeout))));
  });
}

TcpConnector::TcpConnector(SocketLoop* loop, std::vector<SocketName> names,
                           std::string server, absl::Duration user_timeout,
                           Done done)
    : loop_(loop),
      names_(std::move(names)),
      server_(std::move(server)),
      user_timeout_(user_timeout),
      done_(std::move(done)) {}

void TcpConnector::TryNext() {
  while (done_ != nullptr && next_ < names_.size()) {
    if (Begin(names_[next_++])) return;
    error_ = errno;
    socket_.Reset();
  }
  Finish(absl::UnavailableError(
      absl::StrCat(server_, ": cannot connect: ", std::strerror(error_))));
}

bool TcpConnector::Begin(const SocketName& name) {
  const auto* const address = reinterpret_cast<const sockaddr*>(&name.name);
  socket_ = UniqueFd(socket(name.name.ss_family,
                            SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_.valid()) return false;
  if (name.name.ss_family != AF_UNIX) SetOptions(socket_, user_timeout_);
  if (connect(socket_.get(), address, name.bytes) == 0) {
    Finish(std::move(socket_));
    return true;
  }
  if (errno != EINPROGRESS) return false;
  if (!loop_->Add(socket_.get(), shared_from_this())) return false;
  loop_->WantWritable(socket_.get(), true);
  return true;
}

// Connected, or failed.
void TcpConnector::OnWritable() {
  if (!socket_.valid()) return;  // both events at once
  socklen_t bytes = sizeof(error_);
  getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error_, &bytes);
  loop_->Remove(socket_.get());
  if (error_ == 0) return Finish(std::move(socket_));
  socket_.Reset();
  TryNext();
}

void TcpConnector::Finish(absl::StatusOr<UniqueFd> socket) {
  if (socket_.valid()) {
    loop_->Remove(socket_.get());
    socket_.Reset();
  }
  if (const auto done = std::exchange(done_, nullptr)) done(std::move(socket));
}

}  // namespace tributary
