#include "sampler_server/peers/peer_partitions.h"

#include <utility>

#include "sampler_server/peers/remote_gather_call.h"
#include "sampler_server/peers/remote_hop_call.h"
#include "sampler_server/peers/remote_question_call.h"

namespace tributary {

PeerPartitions::PeerPartitions(GraphSchema schema,
                               std::shared_ptr<PeerDirectory> directory)
    : schema_(std::make_shared<const GraphSchema>(std::move(schema))),
      directory_(std::move(directory)) {}

void PeerPartitions::SampleHop(
    RemoteHop hop, const Limits& limits, std::shared_ptr<Strand> strand,
    absl::AnyInvocable<void(absl::StatusOr<HopEdges>)> done) {
  auto call = std::make_shared<RemoteHopCall>(
      schema_, directory_, std::move(hop), limits, strand, std::move(done));
  strand->Post([call] { call->Start(); });
}

void PeerPartitions::Gather(
    RemoteGather gather, const Limits& limits, std::shared_ptr<Strand> strand,
    absl::AnyInvocable<void(absl::StatusOr<GatheredRows>)> done) {
  auto call = std::make_shared<RemoteGatherCall>(
      schema_, directory_, std::move(gather), limits, strand, std::move(done));
  strand->Post([call] { call->Start(); });
}

void PeerPartitions::Ask(
    PartitionQuestion question, const Limits& limits,
    std::shared_ptr<Strand> strand,
    absl::AnyInvocable<void(absl::StatusOr<AlignedBuffer>)> done) {
  auto call = std::make_shared<RemoteQuestionCall>(
      *schema_, std::move(question), std::move(done));
  strand->Post([call, directory = directory_, limits, strand] {
    call->Start(directory, limits, strand);
  });
}

}  // namespace tributary
