// A training process's place among all, as torchrun tells it.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_ENVIRONMENT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_ENVIRONMENT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace tributary {

struct RankEnvironment {
  int rank = 0;
  int world = 1;
  int local_rank = 0;  // on this machine: the GPU to use
  std::string master_addr;
  uint16_t master_port = 0;
  // A listening socket at that port, handed down to rank 0, so that nobody
  // else can take the port in between.
  std::optional<int> master_listen_fd;

  // RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT; one process
  // alone when neither RANK nor WORLD_SIZE is set. INVALID_ARGUMENT names the
  // variable. `variable` returns null for one that is not set.
  static absl::StatusOr<RankEnvironment> FromVariables(
      absl::FunctionRef<const char*(const char*)> variable);
};

inline constexpr char kMasterListenFdVariable[] = "TRIBUTARY_MASTER_LISTEN_FD";

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_ENVIRONMENT_H_
