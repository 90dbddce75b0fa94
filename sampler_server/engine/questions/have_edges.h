// Whether edges are in the graph: a question that several kinds ask.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_HAVE_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_HAVE_EDGES_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/questions/node_questions.h"

namespace tributary {

// Whether internal id `id` is among the neighbours of `row`, by a search that
// needs no original ids: neighbours of one partition are ascending. `base` is
// the source type's. Requires a row of the partition. O(P log d) where
// partitions are mixed, O(d) at worst.
bool HasNeighbor(const EdgePartition& edges, absl::Span<const int64_t> base,
                 uint64_t row, uint64_t id);

// Whether there is an edge from sources[i] to destinations[i]: answers[i]
// becomes 1 or 0. Internal ids; all spans outlive the answer.
struct HaveEdges {
  int edge_type = 0;
  absl::Span<const uint64_t> destinations;
  absl::Span<const uint64_t> sources;
  absl::Span<uint8_t> answers;
};

// Asks the partitions of the destinations. The kind answers by AnswerHaveEdges
// what `question` words in its own message for so many pairs. `done` as
// NodeQuestions. DATA_LOSS where a peer's answer cannot be.
void AskHaveEdges(const StepContext& context, const HaveEdges& asked,
                  const std::function<std::string(uint64_t pairs)>& question,
                  NodeQuestions::Done done);

// SamplingKind::Answer for `pairs` pairs. Payload: uint64 row[pairs], then
// uint64 id[pairs], internal ids. Answer: uint8 per pair, 1 or 0.
absl::Status AnswerHaveEdges(uint64_t pairs, const EdgePartition& edges,
                             absl::Span<const int64_t> base,
                             absl::Span<const uint8_t> payload,
                             absl::Span<uint8_t> answer);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_HAVE_EDGES_H_
