#include "trainer_client/torch/ddp/launch_choice.h"

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<bool> StartsRanks(
    int nproc, absl::FunctionRef<const char*(const char*)> variable) {
  if (nproc == 1 || variable(kLauncherPidVariable) != nullptr) return false;
  for (const char* name : {"RANK", "WORLD_SIZE"}) {
    if (const char* value = variable(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--nproc ", nproc, " though the environment variable ", name,
          " is \"", value,
          "\", as torchrun sets it; allowed: one of the two. Leave out "
          "--nproc, or unset RANK and WORLD_SIZE"));
    }
  }
  return true;
}

}  // namespace tributary
