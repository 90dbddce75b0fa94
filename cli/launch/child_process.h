// A process with its output, at the host that runs it.
#ifndef TRIBUTARY_CLI_LAUNCH_CHILD_PROCESS_H_
#define TRIBUTARY_CLI_LAUNCH_CHILD_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"

namespace tributary {

// What runs, where, and with which variables beside this process's own.
struct ChildCommand {
  std::vector<std::string> argv;         // argv[0] is a path
  std::string folder;                    // empty: that of this process
  std::vector<std::string> environment;  // NAME=VALUE
  bool reads_input = false;              // else its stdin is empty
};

// A child in a process group of its own, so that a terminal's Ctrl-C does not
// reach it. It gets SIGTERM when the thread that started it ends. Its pipes do
// not block. The owner reaps it.
struct ChildProcess {
  pid_t pid = 0;
  UniqueFd exited;  // readable once the process has ended (pidfd)
  UniqueFd in;      // with reads_input
  UniqueFd out, err;
};

// RESOURCE_EXHAUSTED or another of errno's if the system cannot start it; what
// it cannot do itself (no such folder or program) it says on its stderr, and
// ends with 127.
absl::StatusOr<ChildProcess> StartChild(const ChildCommand& command);

// Returns how many processes of a group have not ended.
int LiveMembersOf(pid_t group);
// Returns the children of this thread, also those that were adopted.
std::vector<pid_t> OwnChildren();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_CHILD_PROCESS_H_
