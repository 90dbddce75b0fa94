#include "cli/launch/agent_start.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/io/unique_fd.h"
#include "common/process/find_program.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// The part that ssh may take of the time that a host has to answer.
constexpr double kSshShareOfConnect = 0.8;

}  // namespace

bool IsThisMachine(const std::string& host) {
  if (host == "localhost") return true;
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), "0", &hints, &found) != 0) {
    return false;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found,
                                                             freeaddrinfo);
  // Only an address of one's own can be bound.
  const UniqueFd fd(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return bind(fd.get(), found->ai_addr, found->ai_addrlen) == 0;
}

absl::StatusOr<AgentStart> StartOfAgent(const std::string& host,
                                        const SshOptions& options) {
  if (options.all_local || (options.user.empty() && IsThisMachine(host))) {
    return AgentStart{{"/proc/self/exe", "host-agent"}, true};
  }
  const auto ssh = FindProgram("ssh");
  if (!ssh.has_value()) {
    return absl::NotFoundError(absl::StrCat(
        host,
        " is another machine, and no program ssh is on PATH; install "
        "openssh-client, or run all on this machine with --local"));
  }
  AgentStart start;
  start.argv = {*ssh, "-T"};
  // Of two values ssh takes the first.
  for (const std::string& option : options.options) {
    start.argv.insert(start.argv.end(), {"-o", option});
  }
  // Before the launcher gives the host up, so that ssh can say why.
  const int64_t seconds = std::max<int64_t>(
      1, absl::ToInt64Seconds(options.connect * kSshShareOfConnect));
  start.argv.insert(
      start.argv.end(),
      {"-o", "BatchMode=yes", "-o", absl::StrCat("ConnectTimeout=", seconds),
       "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2", "-p",
       absl::StrCat(options.port)});
  if (!options.user.empty()) {
    start.argv.insert(start.argv.end(), {"-l", options.user});
  }
  start.argv.insert(start.argv.end(),
                    {"--", host, options.remote_program, "host-agent"});
  return start;
}

}  // namespace tributary
