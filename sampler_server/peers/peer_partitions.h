// Reaches the partitions of other servers by leaf calls.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_PARTITIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_PARTITIONS_H_

#include <memory>

#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/peers/peer_directory.h"

namespace tributary {

// Implements RemotePartitions over the peers of one graph. Each method starts a
// call of its own (remote_hop_call.h, remote_gather_call.h,
// remote_question_call.h), which splits what does not fit the transport's
// payload limit, continues replies that were cut, and asks another owner when
// one fails. Thread-safe; calls in flight may outlive this object and keep
// `directory` alive.
class PeerPartitions final : public RemotePartitions {
 public:
  PeerPartitions(GraphSchema schema, std::shared_ptr<PeerDirectory> directory);

  void SampleHop(
      RemoteHop hop, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<HopEdges>)> done) override;
  void Gather(
      RemoteGather gather, const Limits& limits, std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<GatheredRows>)> done) override;
  void Ask(
      PartitionQuestion question, const Limits& limits,
      std::shared_ptr<Strand> strand,
      absl::AnyInvocable<void(absl::StatusOr<AlignedBuffer>)> done) override;

 private:
  const std::shared_ptr<const GraphSchema> schema_;
  const std::shared_ptr<PeerDirectory> directory_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_PARTITIONS_H_
