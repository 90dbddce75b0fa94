#include "sampler_server/engine/questions/have_edges.h"

#include <algorithm>
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

template <typename Id>
bool Search(absl::Span<const Id> ids, uint64_t first, uint64_t end, uint64_t id,
            StopCheck* stop) {
  size_t from = 0, to = ids.size();
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    size_t at = middle;  // the next one of the partition
    while (at < to && (ids[at] < first || ids[at] >= end)) ++at;
    if (ShouldStop(stop, 1 + at - middle)) return false;
    if (at < to && ids[at] == id) return true;
    if (at < to && ids[at] < id) {
      from = at + 1;
    } else {
      to = middle;
    }
  }
  return false;
}

absl::Status TakeAnswer(const HaveEdges& asked, const PartitionNodes& group,
                        size_t from, size_t to,
                        absl::Span<const uint8_t> answer) {
  for (size_t i = from; i < to; ++i) {
    const uint8_t value = answer[i - from];
    if (value > 1) {
      return absl::DataLossError(absl::StrCat(
          "an answer ", static_cast<int>(value), " for yes or no"));
    }
    asked.answers[group.index[i]] = value;
  }
  return absl::OkStatus();
}

absl::Status AnswerPairs(uint64_t pairs, const EdgePartition& edges,
                         absl::Span<const int64_t> base,
                         absl::Span<const uint8_t> payload,
                         absl::Span<uint8_t> answer, StopCheck* stop) {
  constexpr size_t kItem = 2 * sizeof(uint64_t);
  if (payload.size() % kItem != 0 || payload.size() / kItem != pairs ||
      answer.size() != pairs) {
    return absl::InvalidArgumentError(absl::StrCat(
        "question whether ", pairs, " edges are there, with ", payload.size(),
        " bytes for ", answer.size(), "; allowed: ", kItem, " and 1 for each"));
  }
  for (uint64_t i = 0; i < pairs; ++i) {
    const auto row = ReadLittleEndian<uint64_t>(payload, i);
    if (row + 1 >= edges.indptr.size() || row == UINT64_MAX) {
      return absl::OutOfRangeError(
          absl::StrCat("row ", row, " is beyond the partition"));
    }
    const auto id = ReadLittleEndian<uint64_t>(payload, pairs + i);
    answer[i] = HasNeighbor(edges, base, row, id, stop) ? 1 : 0;
    if (ShouldStop(stop, 1)) return stop->why();
  }
  return absl::OkStatus();
}

class Type final : public QuestionType {
 public:
  absl::string_view name() const override { return "have_edges"; }
  absl::Status Answer(const Graph& graph, uint32_t partition,
                      absl::string_view message,
                      absl::Span<const uint8_t> payload,
                      absl::Span<uint8_t> answer,
                      StopCheck* stop) const override {
    ASSIGN_OR_RETURN(const auto asked, ParseEdgeQuestion<v1::HaveEdgesQuestion>(
                                           name(), graph, partition, message));
    return AnswerPairs(asked.message.pairs(), asked.edges, asked.src.base,
                       payload, answer, stop);
  }
};

}  // namespace

bool HasNeighbor(const EdgePartition& edges, absl::Span<const int64_t> base,
                 uint64_t row, uint64_t id, StopCheck* stop) {
  const auto above =
      std::upper_bound(base.begin(), base.end(), static_cast<int64_t>(id));
  if (above == base.begin() || above == base.end()) return false;
  const auto first = static_cast<uint64_t>(above[-1]);
  const auto end = static_cast<uint64_t>(above[0]);
  const RowEnds ends = ReadRowEnds(edges.indptr, row);
  if (!ends.IsWithin(edges.indices.size())) return false;
  const size_t from = ends.begin, to = ends.end;
  if (edges.indices.wide()) {
    return Search(edges.indices.wide_span().subspan(from, to - from), first,
                  end, id, stop);
  }
  return Search(edges.indices.narrow_span().subspan(from, to - from), first,
                end, id, stop);
}

void AskHaveEdges(const StepContext& context, const HaveEdges& asked,
                  NodeQuestions::Done done) {
  const Graph& graph = *context.graph;
  const auto here = [&graph, asked, stop = context.stop](
                        const PartitionNodes& group) -> absl::Status {
    const EdgeTypeSchema& type = graph.schema().edge_types[asked.edge_type];
    const auto& base = graph.schema().node_types[type.src_type].base;
    const EdgePartition& edges = *graph.edges(asked.edge_type, group.partition);
    for (size_t i = 0; i < group.rows.size(); ++i) {
      const uint32_t at = group.index[i];
      asked.answers[at] =
          HasNeighbor(edges, base, group.rows[i], asked.sources[at], stop) ? 1
                                                                           : 0;
      if (ShouldStop(stop, 1)) return stop->why();
    }
    return absl::OkStatus();
  };
  const auto make = [asked](const PartitionNodes& group, size_t from,
                            size_t to) {
    v1::HaveEdgesQuestion question;
    question.set_edge_type(static_cast<uint32_t>(asked.edge_type));
    question.set_pairs(to - from);
    PartitionQuestion made;
    made.message = question.SerializeAsString();
    made.payload.reserve((to - from) * 2 * sizeof(uint64_t));
    AppendLittleEndian(absl::MakeConstSpan(group.rows).subspan(from, to - from),
                       &made.payload);
    for (size_t i = from; i < to; ++i) {
      AppendLittleEndian(asked.sources.subspan(group.index[i], 1),
                         &made.payload);
    }
    made.answer_bytes = to - from;
    return made;
  };
  const auto take = [asked](const PartitionNodes& group, size_t from, size_t to,
                            absl::Span<const uint8_t> answer) {
    return TakeAnswer(asked, group, from, to, answer);
  };
  NodeQuestion asks;
  asks.type = &HaveEdgesQuestionType();
  asks.node_type = graph.schema().edge_types[asked.edge_type].dst_type;
  asks.edge_type = asked.edge_type;
  asks.nodes = asked.destinations;
  asks.here = here;
  asks.bytes = [](uint32_t) { return 2 * sizeof(uint64_t); };
  asks.make = make;
  asks.take = take;
  NodeQuestions::Ask(context, std::move(asks), std::move(done));
}

const QuestionType& HaveEdgesQuestionType() {
  static const Type type;
  return type;
}

}  // namespace tributary
