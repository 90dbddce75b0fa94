// The rank of a training process and the address of its job's rendezvous, from
// the environment variables that torchrun sets.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_ENVIRONMENT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_ENVIRONMENT_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace tributary {

// A rank's place in its job.
struct RankEnvironment {
  int rank = 0;
  int world = 1;
  int local_rank = 0;  // on this machine: the GPU to use
  std::string master_addr;
  uint16_t master_port = 0;
  // How many times the job's ranks were started before.
  int attempt = 0;
  // Whether the launcher serves the rendezvous store, which then survives the
  // ranks; otherwise rank 0 does.
  bool launcher_serves_store = false;
  // The run's identity (RunIdOf), which all ranks have; empty: is not checked.
  // Not of a variable.
  std::string run_id;

  // Reads RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR, MASTER_PORT, and the
  // attempt: TRIBUTARY_ATTEMPT of this program's launcher, or torchrun's
  // TORCHELASTIC_RESTART_COUNT. Without RANK and WORLD_SIZE the process is the
  // only rank. INVALID_ARGUMENT, naming
  // the variable, for a missing or wrong one. `variable` returns a variable's
  // value, null if it is not set.
  static absl::StatusOr<RankEnvironment> FromVariables(
      absl::FunctionRef<const char*(const char*)> variable);
};

// The environment variable with the attempt, which RunRanks() sets.
inline constexpr char kAttemptVariable[] = "TRIBUTARY_ATTEMPT";

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_ENVIRONMENT_H_
