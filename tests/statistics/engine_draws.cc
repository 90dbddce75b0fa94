#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/statistics/draw_source.h"

namespace tributary {
namespace {

// Nodes: the roots, with `chain` their own neighbours, and the sinks, which
// have no in-edges. Edge e is position e mod degree of its destination.
class EngineDraws final : public DrawSource {
 public:
  EngineDraws(const DrawShape& shape, uint32_t partitions)
      : DrawSource(shape), graph_(MakeGraph(partitions)) {
    const auto here = partitions == 1 ? graph_ : graph_->Only({0});
    world_ = std::make_unique<OneBatchWorld>(here, graph_);
  }

  BatchDraws Batch(uint64_t random_seed, uint64_t epoch,
                   uint64_t batch) override {
    BatchRequest request;
    request.plan = PlanFor(random_seed);
    request.key = {request.plan->session, epoch, batch};
    request.max_bytes = uint64_t{1} << 30;
    for (uint32_t r = 0; r < shape().roots; ++r) {
      request.input_number.push_back(r);
      request.original_id.push_back(r);
    }
    const auto sink = world_->Start(std::move(request));
    EXPECT_TRUE(world_->world().Drain(1'000'000));
    EXPECT_TRUE(sink->ready.has_value()) << sink->failed;
    BatchDraws draws;
    for (uint32_t t = 0; t < shape().edge_types; ++t) {
      draws.push_back(ReadDraws(*sink, t));
    }
    return draws;
  }

 private:
  bool typed() const { return shape().edge_types > 1; }

  std::shared_ptr<MemoryGraph> MakeGraph(uint32_t partitions) const {
    MemoryGraphSpec spec;
    spec.num_partitions = partitions;
    spec.heterogeneous = typed();
    const auto d = static_cast<int64_t>(shape().degree);
    const int64_t roots = shape().roots;
    const int64_t middle = shape().chain ? roots * d : 0;
    spec.node_types.push_back({.num_nodes = roots + middle + d});
    for (uint32_t t = 0; t < shape().edge_types; ++t) {
      auto& type = spec.edge_types.emplace_back();
      if (typed()) type.rel = absl::StrCat("to", t);
      for (int64_t v = 0; v < roots + middle; ++v) {
        const int64_t first =
            shape().chain && v < roots ? roots + v * d : roots + middle;
        for (int64_t p = 0; p < d; ++p) type.edges.emplace_back(first + p, v);
      }
    }
    return MemoryGraph::Make(spec);
  }

  std::shared_ptr<const SamplingPlan> PlanFor(uint64_t random_seed) {
    if (plan_ != nullptr && random_seed == plan_seed_) return plan_;
    BatchCase any;
    any.inputs.assign(shape().roots, 0);
    any.options.batch_size = shape().roots;
    any.options.random_seed = plan_seed_ = random_seed;
    any.options.replace = shape().replace;
    any.options.draws.disjoint = shape().disjoint;
    any.options.expand = shape().chain ? ExpandMode::kNew : ExpandMode::kAll;
    any.options.num_neighbors.by_default.assign(shape().hops, shape().fanout);
    return plan_ = PlanOf(graph_->schema(), any);
  }

  // [hop][root]
  std::vector<std::vector<std::vector<uint64_t>>> ReadDraws(
      const RecordingSink& sink, uint32_t type) const {
    const std::string suffix =
        typed() ? absl::StrCat("/node__to", type, "__node") : "";
    const auto edge_ids = Ints(sink, "e_id" + suffix);
    const auto ends = Ints(sink, "edge_index" + suffix);
    const auto per_hop = Ints(sink, "num_sampled_edges" + suffix);
    std::vector<std::vector<std::vector<uint64_t>>> draws(
        shape().hops, std::vector<std::vector<uint64_t>>(shape().roots));
    size_t e = 0;
    for (uint32_t hop = 0; hop < shape().hops; ++hop) {
      const size_t end = e + static_cast<size_t>(per_hop[hop]);
      // The chain's second hop draws for the nodes that the roots found, in
      // order.
      const int64_t first = shape().chain && hop == 1 ? shape().roots : 0;
      for (; e < end; ++e) {
        const auto root =
            static_cast<size_t>(ends[edge_ids.size() + e] - first);
        draws[hop][root].push_back(static_cast<uint64_t>(edge_ids[e]) %
                                   shape().degree);
      }
    }
    return draws;
  }

  std::shared_ptr<MemoryGraph> graph_;
  std::unique_ptr<OneBatchWorld> world_;
  std::shared_ptr<const SamplingPlan> plan_;
  uint64_t plan_seed_ = 0;
};

}  // namespace

std::unique_ptr<DrawSource> FromEngine(const DrawShape& shape,
                                       uint32_t partitions) {
  return std::make_unique<EngineDraws>(shape, partitions);
}

}  // namespace tributary
