// Finds induced edges in the partitions of other servers: makes the questions
// and checks the answers.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_REMOTE_INDUCE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_REMOTE_INDUCE_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/steps/induce_share.h"
#include "sampler_server/engine/steps/induced_edge_table.h"
#include "sampler_server/engine/steps/induced_nodes.h"

namespace tributary {

namespace v1 {
class InduceQuestion;
}

// A share's work is a sequence of questions, each made when the answer to the
// one before it was accepted; sending them is the caller's. Answers come from
// the network: DATA_LOSS, naming the partition, if one is not possible. Answers
// have the size that their question asked for. `nodes` outlives it. Not
// thread-safe.
class RemoteInduce {
 public:
  RemoteInduce(int edge_type, const InducedNodes& nodes)
      : edge_type_(edge_type), nodes_(nodes) {}

  // Whether the sources fit into a question. INVALID_ARGUMENT, with the name of
  // the source type, if not. Independent of partitions, so that a batch is
  // refused on all layouts of a graph or on none.
  absl::Status CheckNumSources(absl::string_view src_type) const;

  // Asks to count the edges of the share's next nodes, which must exist, among
  // at most `most` in-edges.
  PartitionQuestion MakeCount(const InduceShare& share, uint64_t most) const;
  // Check answers and change nothing.
  absl::Status CheckCounts(absl::Span<const uint8_t> answer, uint64_t most,
                           const InduceShare& share) const;
  absl::Status CheckEdges(absl::Span<const uint8_t> answer,
                          const InduceShare& share,
                          const InducedEdgeTable& table) const;
  // Writes the counts to `table`, adds an answer end and moves the share on.
  // Returns the in-edges that the peer has looked at; more than `most` if the
  // next node would exceed `most`.
  absl::StatusOr<uint64_t> AcceptCounts(absl::Span<const uint8_t> answer,
                                        uint64_t most, InduceShare* share,
                                        InducedEdgeTable* table) const;

  // Asks for the edges of the share's next nodes that one answer counted, as
  // many as an answer holds. Moves the share to the first node that has edges;
  // nullopt if there is none.
  std::optional<PartitionQuestion> MakeTake(const InducedEdgeTable& table,
                                            InduceShare* share) const;
  // Writes the edges to `table` and moves the share on.
  absl::Status AcceptEdges(absl::Span<const uint8_t> answer, InduceShare* share,
                           InducedEdgeTable* table) const;

 private:
  // A question with the sources, about no rows yet.
  PartitionQuestion MakeQuestion(v1::InduceQuestion* asked) const;

  const int edge_type_;
  const InducedNodes& nodes_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_REMOTE_INDUCE_H_
