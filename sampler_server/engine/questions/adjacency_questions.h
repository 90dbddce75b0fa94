// Reads degrees and whole rows of neighbours of nodes of any partition, for
// kinds of sampling that need all neighbours of a node.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_ADJACENCY_QUESTIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_ADJACENCY_QUESTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/question_type.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/questions/node_questions.h"

namespace tributary {

// Both functions read partitions of this server at once and ask the owners of
// the others. Nodes are internal ids of the edge type's destination type; spans
// outlive the answer. `done` as NodeQuestions::Done; DATA_LOSS for values out
// of range, stored or answered. On the task's strand.

// Sets degree[i] to the degree of nodes[i], and first[i] to where its row
// begins in its partition. `first` is empty or as long as `nodes`.
void AskDegrees(const StepContext& context, int edge_type,
                absl::Span<const uint64_t> nodes, absl::Span<uint64_t> degree,
                absl::Span<uint64_t> first, NodeQuestions::Done done);

// Writes all neighbours, node after node, each node's in canonical order.
// `degree` is what AskDegrees gave for `nodes`; `neighbors` is as long as its
// sum. `edge_ids`, empty or as long as `neighbors`, becomes the edges' ids in
// the same order. Holds some 60 bytes for each node beside them.
void AskNeighbors(const StepContext& context, int edge_type,
                  absl::Span<const uint64_t> nodes,
                  absl::Span<const uint64_t> degree,
                  absl::Span<uint64_t> neighbors, absl::Span<int64_t> edge_ids,
                  NodeQuestions::Done done);

// Returns the type of the question that both ask of other servers:
// AdjacencyQuestion of questions.proto.
const QuestionType& AdjacencyQuestionType();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_ADJACENCY_QUESTIONS_H_
