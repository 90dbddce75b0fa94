#include "sampler_server/engine/questions/adjacency_questions.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "common/text/status.h"
#include "partition/format/row_ends.h"
#include "sampler_server/engine/questions/edge_question.h"
#include "sampler_server/engine/questions/payload_arrays.h"

namespace tributary {
namespace {

// Most neighbours of one piece of a row.
constexpr uint64_t kMostOfPiece = 64 << 10;

// Positions [from, from + count) of a row; `to` is the place of the first in
// the asker's array.
struct Piece {
  uint64_t from = 0, count = 0, to = 0;
};

// Returns value i of a payload.
uint64_t ValueAt(absl::Span<const uint8_t> bytes, size_t i) {
  return ReadLittleEndian<uint64_t>(bytes, i);
}

uint64_t* Values(absl::Span<uint8_t> bytes) {
  return reinterpret_cast<uint64_t*>(bytes.data());
}

absl::StatusOr<RowEnds> RowOf(const EdgePartition& edges, uint64_t row) {
  if (edges.indptr.size() < 2 || row >= edges.indptr.size() - 1) {
    return absl::OutOfRangeError(
        absl::StrCat("row ", row, " is beyond the partition"));
  }
  const RowEnds found = ReadRowEnds(edges.indptr, row);
  if (found.IsWithin(edges.indices.size()) &&
      found.end <= edges.edge_id.size()) {
    return found;
  }
  return absl::DataLossError(absl::StrCat("indptr of row ", row, " is ",
                                          found.begin, " to ", found.end,
                                          ": verify the graph"));
}

absl::Status BadNeighbor(uint64_t id, uint64_t num_src) {
  return absl::DataLossError(absl::StrCat("neighbour ", id, " of ", num_src,
                                          " nodes: verify the graph"));
}

// `edge_ids` may be null.
absl::Status ReadPiece(const EdgePartition& edges, uint64_t num_src,
                       uint64_t row, const Piece& piece, uint64_t* neighbors,
                       int64_t* edge_ids, StopCheck* stop) {
  if (ShouldStop(stop, 1 + piece.count)) return stop->why();
  ASSIGN_OR_RETURN(const RowEnds at, RowOf(edges, row));
  const uint64_t degree = at.end - at.begin;
  if (piece.from > degree || piece.count > degree - piece.from) {
    return absl::OutOfRangeError(
        absl::StrCat("positions ", piece.from, " to ", piece.from + piece.count,
                     " of row ", row, ", which has ", degree));
  }
  const uint64_t begin = at.begin + piece.from;
  for (uint64_t i = 0; i < piece.count; ++i) {
    const uint64_t id = edges.indices[begin + i];
    if (id >= num_src) return BadNeighbor(id, num_src);
    neighbors[i] = id;
  }
  for (uint64_t i = 0; edge_ids != nullptr && i < piece.count; ++i) {
    edge_ids[i] = static_cast<int64_t>(edges.edge_id[begin + i]);
  }
  return absl::OkStatus();
}

uint64_t NumSrc(const GraphSchema& schema, int edge_type) {
  return static_cast<uint64_t>(
      schema.node_types[schema.edge_types[edge_type].src_type].num_nodes);
}

absl::Status BadSize(const char* what, uint64_t count, size_t payload,
                     size_t answer) {
  return absl::InvalidArgumentError(
      absl::StrCat("a question of ", count, " ", what, " with ", payload,
                   " bytes for ", answer, "; allowed: what they take"));
}

absl::Status AnswerRows(const v1::ReadRows& asked, const EdgePartition& edges,
                        absl::Span<const uint8_t> payload,
                        absl::Span<uint8_t> answer, StopCheck* stop) {
  const uint64_t n = payload.size() / sizeof(uint64_t);
  if (asked.rows() != n || payload.size() != n * sizeof(uint64_t) ||
      answer.size() != payload.size() * (asked.first() ? 2 : 1)) {
    return BadSize("rows", asked.rows(), payload.size(), answer.size());
  }
  for (uint64_t i = 0; i < n; ++i) {
    if (ShouldStop(stop, 4)) return stop->why();
    ASSIGN_OR_RETURN(const RowEnds row, RowOf(edges, ValueAt(payload, i)));
    Values(answer)[i] = row.end - row.begin;
    if (asked.first()) Values(answer)[n + i] = row.begin;
  }
  return absl::OkStatus();
}

absl::Status AnswerNeighbors(const v1::ReadNeighbors& asked,
                             const EdgePartition& edges, uint64_t num_src,
                             absl::Span<const uint8_t> payload,
                             absl::Span<uint8_t> answer, StopCheck* stop) {
  const uint64_t n = payload.size() / (3 * sizeof(uint64_t));
  const uint64_t edge_bytes = sizeof(uint64_t) * (asked.edge_ids() ? 2 : 1);
  const uint64_t total = answer.size() / edge_bytes;
  uint64_t left = total;
  bool fits = asked.pieces() == n &&
              payload.size() == n * 3 * sizeof(uint64_t) &&
              answer.size() == total * edge_bytes;
  for (uint64_t i = 0; fits && i < n; ++i) {
    const uint64_t count = ValueAt(payload, 2 * n + i);
    fits = count <= left;
    left -= fits ? count : 0;
  }
  if (!fits || left != 0) {
    return BadSize("pieces", asked.pieces(), payload.size(), answer.size());
  }
  uint64_t* neighbors = Values(answer);
  auto* edge_ids = reinterpret_cast<int64_t*>(neighbors + total);
  for (uint64_t i = 0; i < n; ++i) {
    const Piece piece{ValueAt(payload, n + i), ValueAt(payload, 2 * n + i), 0};
    RETURN_IF_ERROR(ReadPiece(edges, num_src, ValueAt(payload, i), piece,
                              neighbors, asked.edge_ids() ? edge_ids : nullptr,
                              stop));
    neighbors += piece.count;
    edge_ids += piece.count;
  }
  return absl::OkStatus();
}

v1::AdjacencyQuestion QuestionOf(int edge_type) {
  v1::AdjacencyQuestion question;
  question.set_edge_type(static_cast<uint32_t>(edge_type));
  return question;
}

class Type final : public QuestionType {
 public:
  absl::string_view name() const override { return "adjacency"; }
  absl::Status Answer(const Graph& graph, uint32_t partition,
                      absl::string_view message,
                      absl::Span<const uint8_t> payload,
                      absl::Span<uint8_t> answer,
                      StopCheck* stop) const override {
    ASSIGN_OR_RETURN(const auto asked, ParseEdgeQuestion<v1::AdjacencyQuestion>(
                                           name(), graph, partition, message));
    switch (asked.message.what_case()) {
      case v1::AdjacencyQuestion::kRows:
        return AnswerRows(asked.message.rows(), asked.edges, payload, answer,
                          stop);
      case v1::AdjacencyQuestion::kNeighbors:
        return AnswerNeighbors(asked.message.neighbors(), asked.edges,
                               asked.num_src_nodes(), payload, answer, stop);
      default:
        return absl::InvalidArgumentError(
            "a question about neighbours that names neither rows nor pieces");
    }
  }
};

}  // namespace

void AskDegrees(const StepContext& context, int edge_type,
                absl::Span<const uint64_t> nodes, absl::Span<uint64_t> degree,
                absl::Span<uint64_t> first, NodeQuestions::Done done) {
  const GraphSchema& schema = context.graph->schema();
  const auto num_edges =
      static_cast<uint64_t>(schema.edge_types[edge_type].num_edges);
  const size_t answer_bytes = sizeof(uint64_t) * (first.empty() ? 1 : 2);
  NodeQuestion question;
  question.type = &AdjacencyQuestionType();
  question.node_type = schema.edge_types[edge_type].dst_type;
  question.edge_type = edge_type;
  question.nodes = nodes;
  question.bytes = [=](uint32_t) { return answer_bytes; };
  question.here = [=, graph = context.graph, stop = context.stop](
                      const PartitionNodes& group) -> absl::Status {
    const EdgePartition& edges = *graph->edges(edge_type, group.partition);
    for (size_t i = 0; i < group.rows.size(); ++i) {
      if (ShouldStop(stop, 4)) return stop->why();
      ASSIGN_OR_RETURN(const RowEnds row, RowOf(edges, group.rows[i]));
      degree[group.index[i]] = row.end - row.begin;
      if (!first.empty()) first[group.index[i]] = row.begin;
    }
    return absl::OkStatus();
  };
  question.make = [=](const PartitionNodes& group, size_t from, size_t to) {
    v1::AdjacencyQuestion asked = QuestionOf(edge_type);
    asked.mutable_rows()->set_rows(to - from);
    asked.mutable_rows()->set_first(!first.empty());
    PartitionQuestion made;
    made.message = asked.SerializeAsString();
    AppendLittleEndian(absl::MakeConstSpan(group.rows).subspan(from, to - from),
                       &made.payload);
    made.answer_bytes = (to - from) * answer_bytes;
    return made;
  };
  question.take = [=](const PartitionNodes& group, size_t from, size_t to,
                      absl::Span<const uint8_t> answer) -> absl::Status {
    for (size_t i = from; i < to; ++i) {
      const uint64_t value = ValueAt(answer, i - from);
      const uint64_t begin =
          first.empty() ? 0 : ValueAt(answer, to - from + (i - from));
      if (value > num_edges || begin > num_edges - value) {
        return absl::DataLossError(absl::StrCat("a row's answer of ", value,
                                                " edges from ", begin,
                                                "; the graph has ", num_edges));
      }
      degree[group.index[i]] = value;
      if (!first.empty()) first[group.index[i]] = begin;
    }
    return absl::OkStatus();
  };
  NodeQuestions::Ask(context, std::move(question), std::move(done));
}

void AskNeighbors(const StepContext& context, int edge_type,
                  absl::Span<const uint64_t> nodes,
                  absl::Span<const uint64_t> degree,
                  absl::Span<uint64_t> neighbors, absl::Span<int64_t> edge_ids,
                  NodeQuestions::Done done) {
  struct Pieces {
    std::vector<uint64_t> nodes;
    std::vector<Piece> pieces;  // of each of `nodes`
  };
  const auto all = std::make_shared<Pieces>();
  size_t num_pieces = 0;
  for (const uint64_t d : degree) {
    num_pieces += (d + kMostOfPiece - 1) / kMostOfPiece;
  }
  all->nodes.reserve(num_pieces);
  all->pieces.reserve(num_pieces);
  uint64_t at = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (uint64_t from = 0; from < degree[i]; from += kMostOfPiece) {
      const uint64_t count = std::min(kMostOfPiece, degree[i] - from);
      all->nodes.push_back(nodes[i]);
      all->pieces.push_back({from, count, at});
      at += count;
    }
  }
  const GraphSchema& schema = context.graph->schema();
  const uint64_t num_src = NumSrc(schema, edge_type);
  const bool ids = !edge_ids.empty();
  const size_t edge_bytes = sizeof(uint64_t) * (ids ? 2 : 1);
  NodeQuestion question;
  question.type = &AdjacencyQuestionType();
  question.node_type = schema.edge_types[edge_type].dst_type;
  question.edge_type = edge_type;
  question.nodes = all->nodes;
  question.bytes = [=](uint32_t i) {
    return std::max<size_t>(3 * sizeof(uint64_t),
                            all->pieces[i].count * edge_bytes);
  };
  question.here = [=, graph = context.graph, stop = context.stop](
                      const PartitionNodes& group) -> absl::Status {
    const EdgePartition& edges = *graph->edges(edge_type, group.partition);
    for (size_t i = 0; i < group.rows.size(); ++i) {
      const Piece& piece = all->pieces[group.index[i]];
      RETURN_IF_ERROR(ReadPiece(
          edges, num_src, group.rows[i], piece, neighbors.data() + piece.to,
          ids ? edge_ids.data() + piece.to : nullptr, stop));
    }
    return absl::OkStatus();
  };
  question.make = [=](const PartitionNodes& group, size_t from, size_t to) {
    v1::AdjacencyQuestion asked = QuestionOf(edge_type);
    asked.mutable_neighbors()->set_pieces(to - from);
    asked.mutable_neighbors()->set_edge_ids(ids);
    PartitionQuestion made;
    made.message = asked.SerializeAsString();
    made.payload.reserve((to - from) * 3 * sizeof(uint64_t));
    AppendLittleEndian(absl::MakeConstSpan(group.rows).subspan(from, to - from),
                       &made.payload);
    for (size_t i = from; i < to; ++i) {
      AppendLittleEndian<uint64_t>({&all->pieces[group.index[i]].from, 1},
                                   &made.payload);
    }
    for (size_t i = from; i < to; ++i) {
      const Piece& piece = all->pieces[group.index[i]];
      AppendLittleEndian<uint64_t>({&piece.count, 1}, &made.payload);
      made.answer_bytes += piece.count * edge_bytes;
    }
    return made;
  };
  question.take = [=](const PartitionNodes& group, size_t from, size_t to,
                      absl::Span<const uint8_t> answer) -> absl::Status {
    const uint64_t total = answer.size() / edge_bytes;
    uint64_t next = 0;
    for (size_t i = from; i < to; ++i) {
      const Piece& piece = all->pieces[group.index[i]];
      for (uint64_t k = 0; k < piece.count; ++k, ++next) {
        const uint64_t id = ValueAt(answer, next);
        if (id >= num_src) return BadNeighbor(id, num_src);
        neighbors[piece.to + k] = id;
        if (ids) {
          edge_ids[piece.to + k] =
              static_cast<int64_t>(ValueAt(answer, total + next));
        }
      }
    }
    return absl::OkStatus();
  };
  NodeQuestions::Ask(context, std::move(question), std::move(done));
}

const QuestionType& AdjacencyQuestionType() {
  static const Type type;
  return type;
}

}  // namespace tributary
