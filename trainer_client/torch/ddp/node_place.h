// The place of a machine among those of a training job, when no other launcher
// such as torchrun gives the ranks theirs.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_NODE_PLACE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_NODE_PLACE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace tributary {

// Which machine of how many this is, and where the first one's launcher serves
// the rendezvous store. Every machine runs the same number of ranks.
struct NodePlace {
  static constexpr int kMaxNodes = 4096;
  static constexpr uint16_t kDefaultPort = 29500;  // torchrun's

  int nnodes = 1;
  int node_rank = -1;        // -1: not given, which one machine allows
  std::string master_addr;   // host name or address of node 0
  uint16_t master_port = 0;  // 0: kDefaultPort; on one machine, a free port

  bool serves_store() const { return nnodes == 1 || node_rank == 0; }
  // INVALID_ARGUMENT, naming the flag, its value and what is allowed.
  absl::Status Validate() const;
};

// Returns the rank, within the job, of the rank `local` of machine `node_rank`.
inline int RankInJob(int node_rank, int ranks_per_node, int local) {
  return node_rank * ranks_per_node + local;
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_NODE_PLACE_H_
