// Degrees and neighbours of nodes that any partition may hold: what kinds read
// that need whole rows and draw none.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_ADJACENCY_QUESTIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_ADJACENCY_QUESTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/questions/node_questions.h"

namespace tributary {

// The kind that asks answers with AnswerAdjacency. Nodes are internal ids of
// the edge type's destination type; spans outlive the answer. DATA_LOSS for
// what cannot be, stored or answered.

// degree[i] of nodes[i]; `first`, empty or as long: where its row begins in its
// partition.
void AskDegrees(const StepContext& context, int edge_type,
                absl::Span<const uint64_t> nodes, absl::Span<uint64_t> degree,
                absl::Span<uint64_t> first, NodeQuestions::Done done);

// All neighbours, node after node, each node's in canonical order, of which
// there are `degree` (as AskDegrees told); `edge_ids`, empty or as long as
// `neighbors`, likewise. Holds some 60 bytes for each node beside them.
void AskNeighbors(const StepContext& context, int edge_type,
                  absl::Span<const uint64_t> nodes,
                  absl::Span<const uint64_t> degree,
                  absl::Span<uint64_t> neighbors, absl::Span<int64_t> edge_ids,
                  NodeQuestions::Done done);

// SamplingKind::Answer for both.
absl::Status AnswerAdjacency(const Graph& graph, uint32_t partition,
                             absl::string_view question,
                             absl::Span<const uint8_t> payload,
                             absl::Span<uint8_t> answer);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_ADJACENCY_QUESTIONS_H_
