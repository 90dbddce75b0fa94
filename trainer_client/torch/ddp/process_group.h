// Collectives between the ranks of a training job. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PROCESS_GROUP_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_PROCESS_GROUP_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "trainer_client/torch/ddp/rank_environment.h"

namespace at {
class Tensor;
}  // namespace at

namespace c10d {
class ProcessGroup;
}  // namespace c10d

namespace tributary {

// A connected rank. Every rank must call the same methods in the same order, on
// one thread. A peer that died or did not take part within the timeout is an
// error (INTERNAL, LostPeers), never a hang; after an error the group is
// unusable. In a group of one nothing is sent.
class ProcessGroup {
 public:
  // Connects to the other ranks of the same attempt by the rendezvous store at
  // master_addr:master_port, which rank 0 serves unless the launcher does.
  // Uses Gloo for CPU tensors; for CUDA tensors NCCL, if compiled in, on GPU
  // `local_rank`. Gloo's interface is $GLOO_SOCKET_IFNAME, else that of this
  // machine's host name (loopback if master_addr is). UNAVAILABLE when not all
  // ranks connect within `timeout`; ABORTED for a rank of an
  // attempt that the launchers have given up; FAILED_PRECONDITION, naming both,
  // if the rendezvous is of another run. Initialize() comes too late
  // afterwards (NoteProcessGroup).
  static absl::StatusOr<std::unique_ptr<ProcessGroup>> Connect(
      const RankEnvironment& environment, absl::Duration timeout);
  ~ProcessGroup();

  int rank() const { return rank_; }
  int world() const { return world_; }
  int local_rank() const { return local_rank_; }

  // Replace each element, in place, by its sum or maximum over the ranks.
  // Counts are exact up to 2^53.
  absl::Status Sum(absl::Span<double> values);
  absl::Status Max(absl::Span<double> values);
  // Returns the values of all ranks, rank by rank; ranks may have different
  // numbers of them.
  absl::StatusOr<std::vector<double>> Gather(std::vector<double> own);
  // Returns the text of rank 0; that of other ranks is ignored.
  absl::StatusOr<std::string> BroadcastText(const std::string& text);
  // Overwrites the tensors with those of rank 0.
  absl::Status Broadcast(const std::vector<at::Tensor>& tensors);

  // Returns whether no other rank has reported this text before, so that an
  // error of the whole run is told once. No collective, and possible after an
  // error; true where the store is gone, too.
  bool ReportsFirst(const std::string& text);

  // LibTorch's group; null in a group of one.
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
