// Samples one hop in a partition that another server owns.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_HOP_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_HOP_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "channel/call_client.h"
#include "common/io/buffer.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/hop/excluded_edges.h"
#include "sampler_server/peers/peer_directory.h"

namespace tributary {

namespace v1 {
class SampleHopReply;
}  // namespace v1

// Asks the partition's owners for the edges of `hop.rows`, with one owner call
// (owner_call.h) after another: as many nodes at a time as fit a message, and
// again from the node at which a reply was cut. Numbers come in 4 bytes where
// all of an array fit, and edge ids that the rule does not want not at all,
// from servers that know how. Ends when all nodes are complete or
// `limits.max_reply_bytes` of edges are here.
//
// Create with std::make_shared; its pending call keeps it alive. Start and all
// callbacks run on `strand`. `done` gets the edges of all replies joined, or
// the error of the first owner call that failed; it does not run after
// `limits.cancel`. A reply whose nodes, edges or bytes do not add up, or whose
// values are not possible, is an error of that owner (DATA_LOSS), and another
// one is asked.
class RemoteHopCall : public std::enable_shared_from_this<RemoteHopCall> {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<HopEdges>)>;

  RemoteHopCall(std::shared_ptr<const GraphSchema> schema,
                std::shared_ptr<PeerDirectory> directory, RemoteHop hop,
                const RemotePartitions::Limits& limits,
                std::shared_ptr<Strand> strand, Done done);

  // Called once, on the strand.
  void Start() { Next(); }

 private:
  void Next();
  size_t NodesPerCall() const;
  size_t NodeBytes() const;
  void SelectExcluded();
  size_t ReplyBytes() const;
  AlignedBuffer EncodePayload() const;
  std::string EncodeHeader(uint64_t timeout_ms) const;
  absl::Status Accept(const CallReply& reply);
  HopEdges ReadEdges(const v1::SampleHopReply& header,
                     const uint8_t* from) const;
  absl::Status CheckValues(const std::vector<uint32_t>& counts,
                           const HopEdges& edges) const;
  void Advance(const std::vector<uint32_t>& counts, bool last_is_partial);

  const std::shared_ptr<const GraphSchema> schema_;
  const std::shared_ptr<PeerDirectory> directory_;
  const RemoteHop hop_;
  const RemotePartitions::Limits limits_;
  const std::shared_ptr<Strand> strand_;
  Done done_;
  const size_t edge_bytes_;   // of one edge in edges_
  const uint64_t max_edges_;  // by limits_.max_reply_bytes

  HopEdges edges_;          // of the replies so far
  size_t next_ = 0;         // the first node that is not complete
  uint64_t skip_ = 0;       // edges of that node that are in edges_
  size_t asked_ = 0;        // nodes of the pending call
  ExcludedEdges excluded_;  // of those nodes
  size_t reply_bytes_ = 0;  // limit of the pending call's reply
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_REMOTE_HOP_CALL_H_
