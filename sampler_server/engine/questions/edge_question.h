// The common part of questions about the in-edges of a partition's rows.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_EDGE_QUESTION_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_EDGE_QUESTION_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "partition/format/graph.h"

namespace tributary {

// A question's message, which names an edge type by its index in the schema,
// and what it is about. The references point into the graph.
template <typename Message>
struct EdgeQuestion {
  Message message;
  const EdgePartition& edges;
  const NodeTypeSchema& src;
  const NodeTypeSchema& dst;

  uint64_t num_src_nodes() const {
    return static_cast<uint64_t>(src.num_nodes);
  }
};

// Parses the bytes of a question of type `name` about `partition`.
// INVALID_ARGUMENT: the bytes are no Message, or the graph has no such edge
// type; NOT_FOUND: the partition is not on this server.
template <typename Message>
absl::StatusOr<EdgeQuestion<Message>> ParseEdgeQuestion(
    absl::string_view name, const Graph& graph, uint32_t partition,
    absl::string_view bytes) {
  Message message;
  const GraphSchema& schema = graph.schema();
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      message.edge_type() >= schema.edge_types.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "question ", name, " of ", bytes.size(), " bytes and edge type ",
        message.edge_type(), " of ", schema.edge_types.size()));
  }
  const auto type = static_cast<int>(message.edge_type());
  const EdgePartition* edges = graph.edges(type, partition);
  if (edges == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("partition ", partition, " is not on this server"));
  }
  const EdgeTypeSchema& edge = schema.edge_types[type];
  return EdgeQuestion<Message>{std::move(message), *edges,
                               schema.node_types[edge.src_type],
                               schema.node_types[edge.dst_type]};
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_EDGE_QUESTION_H_
