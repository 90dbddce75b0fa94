// Asks which of a list of node pairs are edges of the graph.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_HAVE_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_HAVE_EDGES_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/batch/question_type.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/questions/node_questions.h"

namespace tributary {

// Returns whether internal id `id` is among the neighbours of `row`. Searches
// without original ids: a row's neighbours of one partition are ascending.
// `base` is the source type's. Requires a row of the partition. O(log d) steps,
// each of which may skip neighbours of other partitions; O(d) at worst. Returns
// any answer when `stop` says so.
bool HasNeighbor(const EdgePartition& edges, absl::Span<const int64_t> base,
                 uint64_t row, uint64_t id, StopCheck* stop = nullptr);

// Sets answers[i] to 1 if there is an edge from sources[i] to destinations[i],
// else to 0. Internal ids; the spans are equally long and outlive the answer.
struct HaveEdges {
  int edge_type = 0;
  absl::Span<const uint64_t> destinations;
  absl::Span<const uint64_t> sources;
  absl::Span<uint8_t> answers;
};

// Asks the partitions of the destinations. `done` as NodeQuestions::Done; its
// errors: DATA_LOSS where a peer's answer is not possible.
void AskHaveEdges(const StepContext& context, const HaveEdges& asked,
                  NodeQuestions::Done done);

// Returns the type of the question that AskHaveEdges asks of other servers:
// HaveEdgesQuestion of questions.proto.
const QuestionType& HaveEdgesQuestionType();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_HAVE_EDGES_H_
