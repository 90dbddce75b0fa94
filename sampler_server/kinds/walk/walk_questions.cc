#include "sampler_server/kinds/walk/walk_questions.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "common/text/status.h"
#include "sampler_server/engine/questions/have_edges.h"

namespace tributary {
namespace {

constexpr uint32_t kMostTries = 64;

template <typename T>
void Append(std::vector<uint8_t>& to, absl::Span<const T> values) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  to.insert(to.end(), bytes, bytes + values.size() * sizeof(T));
}

template <typename T>
std::vector<T> CopyOf(absl::Span<const uint8_t> bytes, size_t from,
                      size_t count) {
  std::vector<T> values(count);
  if (count > 0) {
    std::memcpy(values.data(), bytes.data() + from, count * sizeof(T));
  }
  return values;
}

// Requires rows and values of `count` items in payload, and so in the answer.
absl::Status CheckSizes(uint64_t count, size_t item_bytes, size_t answer_bytes,
                        absl::Span<const uint8_t> payload,
                        absl::Span<uint8_t> answer) {
  if (payload.size() % item_bytes == 0 &&
      payload.size() / item_bytes == count &&
      answer.size() == count * answer_bytes) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("walk question of ", count, " items with ", payload.size(),
                   " bytes for ", answer.size(), "; allowed: ", item_bytes,
                   " and ", answer_bytes, " for each"));
}

absl::Status AnswerDraw(const v1::DrawSteps& draw, const EdgePartition& edges,
                        uint64_t num_src_nodes,
                        absl::Span<const uint8_t> payload,
                        absl::Span<uint8_t> answer) {
  if (draw.tries() < 1 || draw.tries() > kMostTries) {
    return absl::InvalidArgumentError(
        absl::StrCat(draw.tries(), " tries; allowed: 1 to ", kMostTries));
  }
  const size_t answer_bytes = draw.tries() * sizeof(uint64_t);
  RETURN_IF_ERROR(CheckSizes(draw.walks(), sizeof(uint64_t) + sizeof(uint32_t),
                             answer_bytes, payload, answer));
  const size_t n = draw.walks();
  const auto rows = CopyOf<uint64_t>(payload, 0, n);
  const auto walks = CopyOf<uint32_t>(payload, n * sizeof(uint64_t), n);
  WalkQuery query;
  query.key = {draw.key0(), draw.key1()};
  query.step = draw.step();
  query.first_try = draw.first_try();
  query.tries = draw.tries();
  query.rows = rows;
  query.walks = walks;
  return DrawWalkSteps(edges, num_src_nodes, query,
                       reinterpret_cast<uint64_t*>(answer.data()));
}

}  // namespace

void WalkQuestions::AskDraw(const Draw& draw, Done done) {
  const auto num_src_nodes = static_cast<uint64_t>(
      context_.graph->schema().node_types[draw.type.src_type].num_nodes);
  const auto walks_of = [draw](const PartitionNodes& group, size_t from,
                               size_t to) {
    std::vector<uint32_t> walks;
    walks.reserve(to - from);
    for (size_t i = from; i < to; ++i) {
      walks.push_back(draw.walks[group.index[i]]);
    }
    return walks;
  };
  const auto put = [draw](const PartitionNodes& group, size_t from, size_t to,
                          const uint64_t* drawn) {
    for (size_t i = from; i < to; ++i, drawn += draw.tries) {
      std::copy_n(drawn, draw.tries,
                  &draw.neighbors[size_t{group.index[i]} * draw.tries]);
    }
  };
  const auto here =
      [=, graph = context_.graph](const PartitionNodes& group) -> absl::Status {
    const EdgePartition& edges =
        *graph->edges(draw.type.edge_type, group.partition);
    const bool all = group.rows.size() == draw.nodes.size();
    std::vector<uint32_t> walks;
    std::vector<uint64_t> drawn;
    if (!all) {
      walks = walks_of(group, 0, group.rows.size());
      drawn.resize(group.rows.size() * draw.tries);
    }
    WalkQuery query{
        draw.key,   draw.step,  draw.first_try,
        draw.tries, group.rows, all ? draw.walks : absl::MakeConstSpan(walks)};
    RETURN_IF_ERROR(DrawWalkSteps(edges, num_src_nodes, query,
                                  all ? draw.neighbors.data() : drawn.data()));
    if (!all) put(group, 0, group.rows.size(), drawn.data());
    return absl::OkStatus();
  };
  const auto make = [=](const PartitionNodes& group, size_t from, size_t to) {
    v1::WalkQuestion question;
    question.set_edge_type(static_cast<uint32_t>(draw.type.edge_type));
    v1::DrawSteps* steps = question.mutable_draw();
    steps->set_key0(draw.key.k0);
    steps->set_key1(draw.key.k1);
    steps->set_step(draw.step);
    steps->set_first_try(draw.first_try);
    steps->set_tries(draw.tries);
    steps->set_walks(to - from);
    KindQuestion asked;
    asked.question = question.SerializeAsString();
    asked.payload.reserve((to - from) * (sizeof(uint64_t) + sizeof(uint32_t)));
    Append(asked.payload,
           absl::MakeConstSpan(group.rows).subspan(from, to - from));
    Append<uint32_t>(asked.payload, walks_of(group, from, to));
    asked.answer_bytes = (to - from) * draw.tries * sizeof(uint64_t);
    return asked;
  };
  const auto take = [=](const PartitionNodes& group, size_t from, size_t to,
                        absl::Span<const uint8_t> answer) -> absl::Status {
    const auto* drawn = reinterpret_cast<const uint64_t*>(answer.data());
    for (size_t i = 0; i < (to - from) * draw.tries; ++i) {
      // A node has neighbours for all tries or for none.
      const bool none = drawn[i] == kNoNode;
      if (none ? drawn[i - i % draw.tries] == kNoNode
               : drawn[i] < num_src_nodes &&
                     drawn[i - i % draw.tries] != kNoNode) {
        continue;
      }
      return absl::DataLossError(absl::StrCat("a walk's neighbour ", drawn[i],
                                              " of ", num_src_nodes, " nodes"));
    }
    put(group, from, to, drawn);
    return absl::OkStatus();
  };
  const size_t bytes = std::max<size_t>(sizeof(uint64_t) + sizeof(uint32_t),
                                        draw.tries * sizeof(uint64_t));
  NodeQuestions::Ask(context_,
                     {draw.type.dst_type, draw.type.edge_type, draw.nodes, here,
                      [bytes](uint32_t) { return bytes; }, make, take},
                     std::move(done));
}

void WalkQuestions::AskHave(const Have& have, Done done) {
  AskHaveEdges(
      context_, {have.type.edge_type, have.nodes, have.ids, have.answers},
      [type = have.type.edge_type](uint64_t pairs) {
        v1::WalkQuestion question;
        question.set_edge_type(static_cast<uint32_t>(type));
        question.mutable_have()->set_pairs(pairs);
        return question.SerializeAsString();
      },
      std::move(done));
}

absl::Status WalkQuestions::Answer(const Graph& graph, uint32_t partition,
                                   absl::string_view question,
                                   absl::Span<const uint8_t> payload,
                                   absl::Span<uint8_t> answer) {
  v1::WalkQuestion asked;
  const GraphSchema& schema = graph.schema();
  if (!asked.ParseFromArray(question.data(),
                            static_cast<int>(question.size())) ||
      asked.edge_type() >= schema.edge_types.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a walk question of ", question.size(),
                     " bytes, of edge "
                     "type ",
                     asked.edge_type(), " of ", schema.edge_types.size()));
  }
  const EdgeTypeSchema& type = schema.edge_types[asked.edge_type()];
  const EdgePartition* edges =
      graph.edges(static_cast<int>(asked.edge_type()), partition);
  if (edges == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("partition ", partition, " is not on this server"));
  }
  const NodeTypeSchema& src = schema.node_types[type.src_type];
  switch (asked.what_case()) {
    case v1::WalkQuestion::kDraw:
      return AnswerDraw(asked.draw(), *edges,
                        static_cast<uint64_t>(src.num_nodes), payload, answer);
    case v1::WalkQuestion::kHave:
      return AnswerHaveEdges(asked.have().pairs(), *edges, src.base, payload,
                             answer);
    default:
      return absl::InvalidArgumentError(
          "a walk question that is neither draw nor have");
  }
}

}  // namespace tributary
