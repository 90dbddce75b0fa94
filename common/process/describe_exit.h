// Says how a child process ended.
#ifndef TRIBUTARY_COMMON_PROCESS_DESCRIBE_EXIT_H_
#define TRIBUTARY_COMMON_PROCESS_DESCRIBE_EXIT_H_

#include <string>

namespace tributary {

// Returns how a process ended, from its wait status: "ended with exit code 1",
// "was ended by signal 9 (SIGKILL)".
std::string DescribeExit(int wait_status);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_DESCRIBE_EXIT_H_
