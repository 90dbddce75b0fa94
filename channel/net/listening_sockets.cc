#include "channel/net/listening_sockets.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr int kBacklog = 4096;  // the kernel has a lower limit of its own

absl::Status CannotListen(const Address& address, absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", address.ToString(), ": ", why));
}

sockaddr_un UnixName(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  return name;
}

// There must be no file at the path, or the socket of a process that has ended.
absl::Status CheckSocketIsFree(const Address& address,
                               const std::string& path) {
  const sockaddr_un name = UnixName(path);
  const UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&name),
              sizeof(name)) == 0) {
    return CannotListen(address, "in use by another server");
  }
  struct stat there {};
  if (lstat(path.c_str(), &there) != 0 || S_ISSOCK(there.st_mode)) {
    return absl::OkStatus();
  }
  return absl::AlreadyExistsError(absl::StrCat(
      "cannot listen on ", address.ToString(),
      ": something that is no socket is there; allowed: a new path"));
}

bool Set(const UniqueFd& fd, int level, int option, int value) {
  return setsockopt(fd.get(), level, option, &value, sizeof(value)) == 0;
}

// Returns a socket that listens, or an invalid one with errno set.
UniqueFd ListenOn(const sockaddr* name, socklen_t bytes,
                  absl::Duration user_timeout, bool both_families) {
  UniqueFd fd(
      socket(name->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return fd;
  if (name->sa_family != AF_UNIX) {
    Set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    Set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    Set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
        static_cast<int>(absl::ToInt64Milliseconds(user_timeout)));
  }
  if (name->sa_family == AF_INET6) {
    Set(fd, IPPROTO_IPV6, IPV6_V6ONLY, both_families ? 0 : 1);
  }
  if (bind(fd.get(), name, bytes) != 0 || listen(fd.get(), kBacklog) != 0) {
    return UniqueFd();
  }
  return fd;
}

uint16_t PortOf(const UniqueFd& fd) {
  sockaddr_storage name{};
  socklen_t bytes = sizeof(name);
  getsockname(fd.get(), reinterpret_cast<sockaddr*>(&name), &bytes);
  return ntohs(name.ss_family == AF_INET6
                   ? reinterpret_cast<sockaddr_in6*>(&name)->sin6_port
                   : reinterpret_cast<sockaddr_in*>(&name)->sin_port);
}

void SetPort(sockaddr* name, uint16_t port) {
  if (name->sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6*>(name)->sin6_port = htons(port);
  } else {
    reinterpret_cast<sockaddr_in*>(name)->sin_port = htons(port);
  }
}

bool IsWildcard(const std::string& host) {
  return host == "0.0.0.0" || host == "::";
}

}  // namespace

absl::StatusOr<std::unique_ptr<ListeningSockets>> ListeningSockets::Open(
    const Address& address, absl::Duration user_timeout) {
  std::unique_ptr<ListeningSockets> opened(new ListeningSockets(address));
  RETURN_IF_ERROR(address.is_unix() ? opened->OpenUnix()
                                    : opened->OpenTcp(user_timeout));
  return opened;
}

ListeningSockets::~ListeningSockets() {
  if (inode_ == 0) return;
  const std::string path = address_.host.substr(5);
  struct stat there {};
  // A server that was started since may have the path.
  if (lstat(path.c_str(), &there) == 0 && there.st_ino == inode_) {
    unlink(path.c_str());
  }
}

absl::Status ListeningSockets::OpenUnix() {
  const std::string path = address_.host.substr(5);
  RETURN_IF_ERROR(CheckSocketIsFree(address_, path));
  unlink(path.c_str());
  const sockaddr_un name = UnixName(path);
  UniqueFd fd = ListenOn(reinterpret_cast<const sockaddr*>(&name), sizeof(name),
                         absl::ZeroDuration(), false);
  if (!fd.valid()) return CannotListen(address_, std::strerror(errno));
  struct stat there {};
  if (lstat(path.c_str(), &there) == 0) inode_ = there.st_ino;
  sockets_.push_back(std::move(fd));
  return absl::OkStatus();
}

absl::Status ListeningSockets::OpenTcp(absl::Duration user_timeout) {
  const bool wildcard = IsWildcard(address_.host);
  absl::Status opened = OpenEach(wildcard ? "::" : address_.host, user_timeout);
  if (!opened.ok() && wildcard) {  // a machine without IPv6
    opened = OpenEach("0.0.0.0", user_timeout);
  }
  return opened;
}

absl::Status ListeningSockets::OpenEach(const std::string& host,
                                        absl::Duration user_timeout) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(
      host.c_str(), std::to_string(address_.port).c_str(), &hints, &found);
  if (code != 0) return CannotListen(address_, gai_strerror(code));
  absl::Cleanup free_found = [found] { freeaddrinfo(found); };
  int error = 0;
  for (addrinfo* each = found; each != nullptr; each = each->ai_next) {
    SetPort(each->ai_addr, address_.port);
    UniqueFd fd =
        ListenOn(each->ai_addr, each->ai_addrlen, user_timeout, host == "::");
    if (!fd.valid()) {
      error = errno;
      continue;
    }
    address_.port = PortOf(fd);  // of a name's other addresses too
    sockets_.push_back(std::move(fd));
  }
  if (!sockets_.empty()) return absl::OkStatus();
  return CannotListen(
      address_, absl::StrCat(std::strerror(error),
                             "; in use, or not an address of this machine"));
}

}  // namespace tributary
