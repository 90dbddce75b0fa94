#include "trainer_client/torch/ddp/rank_environment.h"

#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/ddp/launch_choice.h"

namespace tributary {
namespace {

using Variable = absl::FunctionRef<const char*(const char*)>;

absl::StatusOr<int> Number(Variable variable, const char* name, int low,
                           int high) {
  const char* text = variable(name);
  int value = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &value) || value < low ||
      value > high) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the environment variable ", name, " is ",
        text == nullptr ? "not set" : absl::StrCat("\"", text, "\""),
        ", allowed are ", low, " to ", high));
  }
  return value;
}

absl::StatusOr<int> Attempt(Variable variable) {
  constexpr int kMaxAttempt = std::numeric_limits<int>::max();
  for (const char* name : {kAttemptVariable, "TORCHELASTIC_RESTART_COUNT"}) {
    if (variable(name)) return Number(variable, name, 0, kMaxAttempt);
  }
  return 0;
}

bool LauncherServesStore(Variable variable) {
  if (variable(kLauncherPidVariable) != nullptr) return true;
  const char* agent = variable("TORCHELASTIC_USE_AGENT_STORE");
  return agent != nullptr && std::string(agent) == "True";
}

}  // namespace

absl::StatusOr<RankEnvironment> RankEnvironment::FromVariables(
    Variable variable) {
  RankEnvironment result;
  if (!variable("RANK") && !variable("WORLD_SIZE")) return result;
  constexpr int kMaxWorld = 1 << 16;
  ASSIGN_OR_RETURN(result.world, Number(variable, "WORLD_SIZE", 1, kMaxWorld));
  ASSIGN_OR_RETURN(result.rank, Number(variable, "RANK", 0, result.world - 1));
  result.local_rank = result.rank;
  if (variable("LOCAL_RANK")) {
    ASSIGN_OR_RETURN(result.local_rank,
                     Number(variable, "LOCAL_RANK", 0, result.world - 1));
  }
  ASSIGN_OR_RETURN(result.attempt, Attempt(variable));
  if (result.world == 1) return result;
  const char* address = variable("MASTER_ADDR");
  if (address == nullptr || *address == '\0') {
    return absl::InvalidArgumentError(
        "the environment variable MASTER_ADDR is not set, though WORLD_SIZE "
        "is; start the ranks with torchrun or --nproc");
  }
  result.master_addr = address;
  ASSIGN_OR_RETURN(result.master_port,
                   Number(variable, "MASTER_PORT", 1, 65535));
  result.launcher_serves_store = LauncherServesStore(variable);
  return result;
}

}  // namespace tributary
