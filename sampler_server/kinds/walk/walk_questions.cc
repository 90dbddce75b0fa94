#include "sampler_server/kinds/walk/walk_questions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/proto/questions.pb.h"
#include "common/text/status.h"
#include "sampler_server/engine/questions/have_edges.h"
#include "sampler_server/engine/questions/payload_arrays.h"
#include "sampler_server/kinds/walk/walk_steps_question.h"

namespace tributary {

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
  const auto here = [=, graph = context_.graph, stop = context_.stop](
                        const PartitionNodes& group) -> absl::Status {
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
        draw.tries, group.rows, all ? draw.walks : absl::MakeConstSpan(walks),
        stop};
    RETURN_IF_ERROR(DrawWalkSteps(edges, num_src_nodes, query,
                                  all ? draw.neighbors.data() : drawn.data()));
    if (!all) put(group, 0, group.rows.size(), drawn.data());
    return absl::OkStatus();
  };
  const auto make = [=](const PartitionNodes& group, size_t from, size_t to) {
    v1::WalkStepsQuestion steps;
    steps.set_edge_type(static_cast<uint32_t>(draw.type.edge_type));
    steps.set_key0(draw.key.k0);
    steps.set_key1(draw.key.k1);
    steps.set_step(draw.step);
    steps.set_first_try(draw.first_try);
    steps.set_tries(draw.tries);
    steps.set_walks(to - from);
    PartitionQuestion asked;
    asked.message = steps.SerializeAsString();
    asked.payload.reserve((to - from) * (sizeof(uint64_t) + sizeof(uint32_t)));
    AppendLittleEndian(absl::MakeConstSpan(group.rows).subspan(from, to - from),
                       &asked.payload);
    AppendLittleEndian<uint32_t>(walks_of(group, from, to), &asked.payload);
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
  NodeQuestions::Ask(
      context_,
      {&WalkStepsQuestionType(), draw.type.dst_type, draw.type.edge_type,
       draw.nodes, here, [bytes](uint32_t) { return bytes; }, make, take},
      std::move(done));
}

void WalkQuestions::AskHave(const Have& have, Done done) {
  AskHaveEdges(context_,
               {have.type.edge_type, have.nodes, have.ids, have.answers},
               std::move(done));
}

}  // namespace tributary
