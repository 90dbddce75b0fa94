#include "common/fleet/dns_look_up.h"

#include <ares.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"

namespace tributary {
namespace {

// One question to one server. The second try has twice the time, and both end
// well before a look-up does.
constexpr int kTryTimeoutMs = 1500;
constexpr int kTries = 2;

// Returns an address as text; empty if it cannot be.
std::string TextOf(const sockaddr* address, socklen_t bytes) {
  char text[NI_MAXHOST] = "";
  return getnameinfo(address, bytes, text, sizeof(text), nullptr, 0,
                     NI_NUMERICHOST) == 0
             ? text
             : "";
}

// Returns the host itself if it is an IP address, in any of its spellings; an
// empty text if it is a name. Asks nobody.
std::string IpAddressOf(const std::string& host) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return "";
  const std::string text = TextOf(found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return text;
}

absl::Status Unresolved(const Address& name, absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("cannot resolve ", name.host, ": ", why));
}

// Says of a name that does not exist what getaddrinfo() says.
absl::Status ErrorOf(const Address& name, int status) {
  switch (status) {
    case ARES_ENOTFOUND:
    case ARES_ENODATA:
    case ARES_ENONAME:
    case ARES_EBADNAME:
      return Unresolved(name, "Name or service not known");
    case ARES_ETIMEOUT:
      return Unresolved(name, "no name server answers");
    default:
      return Unresolved(name, ares_strerror(status));
  }
}

// The answer to a look-up, which c-ares gives once, at the latest when its
// channel is destroyed.
struct Answer {
  const Address name;
  std::optional<absl::StatusOr<Resolution>> result;

  static void Take(void* self, int status, int, ares_addrinfo* found) {
    auto* const answer = static_cast<Answer*>(self);
    answer->result = status == ARES_SUCCESS && found != nullptr
                         ? answer->ReadNodes(*found)
                         : ErrorOf(answer->name, status);
    if (found != nullptr) ares_freeaddrinfo(found);
  }

  absl::StatusOr<Resolution> ReadNodes(const ares_addrinfo& found) const {
    std::vector<Address> addresses;
    int ttl = INT32_MAX;
    for (const ares_addrinfo_node* node = found.nodes; node != nullptr;
         node = node->ai_next) {
      const std::string host = TextOf(node->ai_addr, node->ai_addrlen);
      if (host.empty()) continue;
      addresses.push_back({host, name.port});
      ttl = std::min(ttl, std::max(0, node->ai_ttl));
    }
    if (addresses.empty()) return ErrorOf(name, ARES_ENODATA);
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()),
                    addresses.end());
    return Resolution(std::move(addresses), absl::Seconds(ttl));
  }
};

// Returns a new channel, which reads /etc/resolv.conf.
absl::StatusOr<ares_channel> OpenChannel(const Address& name,
                                         const HostResolverOptions& options) {
  static std::once_flag once;
  std::call_once(once, [] { ares_library_init(ARES_LIB_INIT_ALL); });
  ares_options values{};
  values.timeout = kTryTimeoutMs;
  values.tries = kTries;
  ares_channel channel = nullptr;
  int status =
      ares_init_options(&channel, &values, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES);
  if (status != ARES_SUCCESS) return ErrorOf(name, status);
  if (!options.servers.empty()) {
    status = ares_set_servers_ports_csv(channel, options.servers.c_str());
  }
  if (status == ARES_SUCCESS) return channel;
  ares_destroy(channel);
  return ErrorOf(name, status);
}

// Waits until c-ares has something to do, at most `left`, and lets it do it.
// Returns false once `stop_fd` is readable.
bool Step(ares_channel channel, int stop_fd, absl::Duration left) {
  std::array<ares_socket_t, ARES_GETSOCK_MAXNUM> sockets;
  const int wanted = ares_getsock(channel, sockets.data(), sockets.size());
  std::vector<pollfd> polled = {{stop_fd, POLLIN, 0}};
  for (int i = 0; i < ARES_GETSOCK_MAXNUM; ++i) {
    short events = 0;
    if (ARES_GETSOCK_READABLE(wanted, i)) events |= POLLIN;
    if (ARES_GETSOCK_WRITABLE(wanted, i)) events |= POLLOUT;
    if (events != 0) polled.push_back({sockets[i], events, 0});
  }
  timeval most = absl::ToTimeval(std::max(left, absl::Milliseconds(1)));
  timeval buffer{};
  const timeval* const wait = ares_timeout(channel, &most, &buffer);
  const absl::Duration timeout = absl::DurationFromTimeval(*wait);
  poll(polled.data(), polled.size(),
       static_cast<int>(absl::ToInt64Milliseconds(timeout)) + 1);
  if (polled[0].revents != 0) return false;
  for (size_t i = 1; i < polled.size(); ++i) {
    const short events = polled[i].revents;
    ares_process_fd(channel,
                    (events & (POLLIN | POLLERR | POLLHUP)) != 0
                        ? polled[i].fd
                        : ARES_SOCKET_BAD,
                    (events & POLLOUT) != 0 ? polled[i].fd : ARES_SOCKET_BAD);
  }
  ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // time-outs
  return true;
}

}  // namespace

std::optional<absl::StatusOr<Resolution>> LookUpHost(
    const Address& name, const HostResolverOptions& options, int stop_fd) {
  const std::string ip_address = IpAddressOf(name.host);
  if (!ip_address.empty()) {
    return Resolution(std::vector<Address>{{ip_address, name.port}});
  }
  const auto channel = OpenChannel(name, options);
  if (!channel.ok()) return channel.status();
  Answer answer{name, {}};
  const absl::Cleanup destroy = [&channel] { ares_destroy(*channel); };
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NOSORT;
  ares_getaddrinfo(*channel, name.host.c_str(), nullptr, &hints, Answer::Take,
                   &answer);
  const absl::Time deadline = SteadyClock().Now() + options.timeout;
  while (!answer.result) {
    const absl::Duration left = deadline - SteadyClock().Now();
    if (left <= absl::ZeroDuration()) {
      return Unresolved(name,
                        absl::StrCat("no name server answers within ",
                                     absl::FormatDuration(options.timeout)));
    }
    if (!Step(*channel, stop_fd, left)) return std::nullopt;
  }
  return *std::move(answer.result);
}

}  // namespace tributary
