#include "sampler_server/engine/batch_state.h"

namespace tributary {
namespace {

// Those that share tensors with it, itself included, in their order there.
std::vector<size_t> Sharing(const SamplingPlan& plan, size_t planned) {
  const auto leader_of = [&plan](size_t i) {
    const int joins = plan.edge_types[i].joins;
    return joins < 0 ? i : static_cast<size_t>(joins);
  };
  std::vector<size_t> sharing;
  for (size_t i = leader_of(planned); i < plan.edge_types.size(); ++i) {
    if (leader_of(i) == leader_of(planned)) sharing.push_back(i);
  }
  return sharing;
}

}  // namespace

std::vector<uint64_t> FirstEdges(const SamplingPlan& plan,
                                 const BatchState& state, size_t planned) {
  std::vector<uint64_t> first;
  uint64_t edges = 0;
  const std::vector<size_t> sharing = Sharing(plan, planned);
  if (sharing.size() == 1) {
    for (const SampledHop& hop : state.edges[planned].hops) {
      first.push_back(edges);
      edges += hop.num_edges();
    }
    return first;
  }
  for (int hop = 0; hop < plan.num_hops; ++hop) {
    for (const size_t i : sharing) {
      const auto found = static_cast<uint64_t>(state.edges[i].per_hop[hop]);
      if (i == planned && found > 0) first.push_back(edges);
      edges += found;
    }
  }
  return first;
}

uint64_t NumTensorEdges(const SamplingPlan& plan, const BatchState& state,
                        size_t planned) {
  uint64_t edges = 0;
  for (const size_t i : Sharing(plan, planned)) edges += state.edges[i].edges;
  return edges;
}

}  // namespace tributary
