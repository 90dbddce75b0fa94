#include "common/process/describe_exit.h"

#include <string.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"

namespace tributary {

std::string DescribeExit(int wait_status) {
  if (WIFEXITED(wait_status)) {
    return absl::StrCat("ended with exit code ", WEXITSTATUS(wait_status));
  }
  const int signal = WTERMSIG(wait_status);
  const char* name = sigabbrev_np(signal);  // null for real-time signals
  return absl::StrCat("was ended by signal ", signal,
                      name == nullptr ? "" : absl::StrCat(" (SIG", name, ")"));
}

}  // namespace tributary
