// The `tributary-fetch` program: graphs in object stores. A program of its own,
// because no other needs Arrow.
#include <unistd.h>

#include <csignal>
#include <memory>
#include <vector>

#include "cli/command/program.h"
#include "cli/fetch/get_command.h"
#include "cli/fetch/put_command.h"

namespace {

// Arrow starts threads before main() that do not block signals, so these may be
// delivered to them instead of SignalWatcher; in process 1 of a container they
// would be lost. What is fetched stays for the next run.
void ExitAtOnce(int signal) { _exit(128 + signal); }

void HandleSignals() {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 ||
        action.sa_handler == SIG_IGN) {
      continue;
    }
    action.sa_handler = ExitAtOnce;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  HandleSignals();
  std::vector<std::unique_ptr<tributary::Command>> commands;
  commands.push_back(tributary::MakeGetCommand());
  commands.push_back(tributary::MakePutCommand());
  return tributary::RunProgram({"tributary-fetch",
                                "Fetches graphs from object stores that speak "
                                "S3, and stores them there."},
                               commands, argc, argv);
}
