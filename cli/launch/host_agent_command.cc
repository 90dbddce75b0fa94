#include "cli/launch/host_agent_command.h"

#include <CLI/CLI.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/launch/host_agent.h"
#include "common/io/unique_fd.h"
#include "common/process/signal_watcher.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(`tributary launch` starts it on each host, over ssh, and speaks with it in lines of
JSON. It ends all that it has started once its input ends, or nothing is heard from
the launcher for a while.)";

// Lets COMMAND find the programs beside this one, after those of PATH.
void AddOwnFolderToPath() {
  char self[4096];
  const ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
  if (n <= 0) return;
  const std::string program(self, static_cast<size_t>(n));
  const char* path = std::getenv("PATH");
  setenv("PATH",
         absl::StrCat(path == nullptr ? "/usr/bin:/bin" : path, ":",
                      program.substr(0, program.rfind('/')))
             .c_str(),
         1);
}

class HostAgentCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "host-agent", "Start and end a host's processes for `launch`.");
    app->group("");  // not a command for users
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher& signals) override {
    const UniqueFd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    signals.OnStop([fd = stop.get()](int) {
      const uint64_t one = 1;
      // Cannot fail: the counter is far from full.
      if (write(fd, &one, sizeof(one)) < 0) return;
    });
    AddOwnFolderToPath();
    const absl::Status status =
        HostAgent(STDIN_FILENO, STDOUT_FILENO, stop.get()).Run();
    signals.OnStop(nullptr);
    return status;
  }
};

}  // namespace

std::unique_ptr<Command> MakeHostAgentCommand() {
  return std::make_unique<HostAgentCommand>();
}

}  // namespace tributary
