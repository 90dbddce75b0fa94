#include "sampler_server/engine/batch/batch_state.h"

#include <algorithm>

namespace tributary {
namespace {

// The types of the plan, [first, end), that share tensors with a type.
struct Sharing {
  size_t first, end;
};
Sharing SharingWith(const SamplingPlan& plan, size_t planned) {
  const auto& types = plan.edge_types;
  const int other = types[planned].shares_tensors_of;
  const size_t first = other < 0 ? planned : static_cast<size_t>(other);
  size_t end = first + 1;
  while (end < types.size() &&
         types[end].shares_tensors_of == static_cast<int>(first)) {
    ++end;
  }
  return {first, end};
}

}  // namespace

std::vector<uint64_t> FirstEdges(const SamplingPlan& plan,
                                 const BatchState& state, size_t planned) {
  std::vector<uint64_t> first;
  uint64_t edges = 0;
  const Sharing sharing = SharingWith(plan, planned);
  if (sharing.end == sharing.first + 1) {
    for (const SampledHop& hop : state.edges[planned].hops) {
      first.push_back(edges);
      edges += hop.num_edges();
    }
    return first;
  }
  for (int hop = 0; hop < plan.num_hops; ++hop) {
    for (size_t i = sharing.first; i < sharing.end; ++i) {
      const auto found = static_cast<uint64_t>(state.edges[i].per_hop[hop]);
      if (i == planned && found > 0) first.push_back(edges);
      edges += found;
    }
  }
  return first;
}

std::vector<HopEdgesInTensor> HopsOfTensor(const SamplingPlan& plan,
                                           const BatchState& state,
                                           size_t planned) {
  std::vector<HopEdgesInTensor> in_tensor;
  const Sharing sharing = SharingWith(plan, planned);
  for (size_t i = sharing.first; i < sharing.end; ++i) {
    const std::vector<uint64_t> first = FirstEdges(plan, state, i);
    for (size_t h = 0; h < first.size(); ++h) {
      in_tensor.push_back({first[h], &state.edges[i].hops[h],
                           plan.edge_types[i].emitted_as >= 0});
    }
  }
  std::sort(in_tensor.begin(), in_tensor.end(),
            [](const HopEdgesInTensor& a, const HopEdgesInTensor& b) {
              return a.first < b.first;
            });
  return in_tensor;
}

uint64_t NumTensorEdges(const SamplingPlan& plan, const BatchState& state,
                        size_t planned) {
  uint64_t edges = 0;
  const Sharing sharing = SharingWith(plan, planned);
  for (size_t i = sharing.first; i < sharing.end; ++i) {
    edges += state.edges[i].edges;
  }
  return edges;
}

}  // namespace tributary
