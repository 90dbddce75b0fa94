// Collectives between the ranks of a training job.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PROCESS_GROUP_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PROCESS_GROUP_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "trainer_client/torch/ddp/rank_environment.h"

namespace c10d {
class ProcessGroup;
}  // namespace c10d

namespace tributary {

// Every rank calls the same methods in the same order, on one thread. A peer
// that died or stayed away for the timeout is an error, never a hang; after
// one the group is of no more use. A group of one talks to nobody.
class ProcessGroup {
 public:
  // Meets the others at master_addr:master_port. Gloo for CPU tensors; for
  // CUDA tensors NCCL, where it was compiled in, on GPU `local_rank`. Gloo's
  // interface is $GLOO_SOCKET_IFNAME, else the one of this machine's name
  // (loopback when master_addr is). UNAVAILABLE when not all came in time.
  static absl::StatusOr<std::unique_ptr<ProcessGroup>> Connect(
      const RankEnvironment& environment, absl::Duration timeout);
  ~ProcessGroup();

  int rank() const { return rank_; }
  int world() const { return world_; }
  int local_rank() const { return local_rank_; }

  // Element by element, in place. Counts are exact up to 2^53.
  absl::Status Sum(absl::Span<double> values);
  absl::Status Max(absl::Span<double> values);
  // Rank 0's contents for everybody.
  absl::Status Broadcast(const std::vector<at::Tensor>& tensors);

  // Null in a group of one.
  c10d::ProcessGroup* c10d() const;

 private:
  struct Connection;
  ProcessGroup(const RankEnvironment& environment,
               std::unique_ptr<Connection> connection);
  absl::Status AllReduce(absl::Span<double> values, bool max);

  const int rank_;
  const int world_;
  const int local_rank_;
  const std::unique_ptr<Connection> connection_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PROCESS_GROUP_H_
