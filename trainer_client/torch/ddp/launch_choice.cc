#include "trainer_client/torch/ddp/launch_choice.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace tributary {

namespace {

// Returns the flag that asks for a launcher, with its value; empty: none does.
std::string Flag(const LaunchRequest& request) {
  if (request.nproc > 1) return absl::StrCat("--nproc ", request.nproc);
  if (request.nnodes > 1) return absl::StrCat("--nnodes ", request.nnodes);
  if (request.max_restarts == 0) return "";
  return absl::StrCat("--max-restarts ", request.max_restarts);
}

}  // namespace

absl::StatusOr<bool> StartsRanks(
    const LaunchRequest& request,
    absl::FunctionRef<const char*(const char*)> variable) {
  const std::string flag = Flag(request);
  if (flag.empty() || variable(kLauncherPidVariable) != nullptr) return false;
  for (const char* name : {"RANK", "WORLD_SIZE"}) {
    if (const char* value = variable(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          flag, " though the environment variable ", name, " is \"", value,
          "\", as torchrun sets it; allowed: one of the two. Leave out ",
          flag.substr(0, flag.find(' ')), ", or unset RANK and WORLD_SIZE"));
    }
  }
  return true;
}

}  // namespace tributary
