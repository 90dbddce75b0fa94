// The partitions of other servers, asked for by leaf calls.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_PARTITIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_PEER_PARTITIONS_H_

#include <memory>
#include <utility>

#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/peers/peer_directory.h"

namespace tributary {

// Cuts requests so that no message exceeds the transport's payload limit, and
// goes on from replies that were cut.
class PeerPartitions final : public RemotePartitions {
 public:
  PeerPartitions(GraphSchema schema, std::shared_ptr<PeerDirectory> directory)
      : schema_(std::make_shared<const GraphSchema>(std::move(schema))),
        directory_(std::move(directory)) {}

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
