// The small typed graph of docs/sampling.md.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_SMALL_TYPED_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_SMALL_TYPED_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// 4 nodes `a`, which two edge types end at, and 3 nodes `b`, which one does.
inline std::shared_ptr<MemoryGraph> SmallTyped(uint32_t partitions) {
  using Rows = std::vector<std::pair<int64_t, int64_t>>;
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.num_partitions = partitions;
  spec.node_types = {{.name = "a", .num_nodes = 4},
                     {.name = "b", .num_nodes = 3}};
  const auto add = [&](const char* src, const char* rel, const char* dst,
                       Rows rows) {
    auto& type = spec.edge_types.emplace_back();
    type.src = src, type.rel = rel, type.dst = dst;
    type.edges = std::move(rows);
  };
  add("a", "r", "b", {{0, 0}, {1, 0}, {2, 1}, {3, 1}, {0, 2}});
  add("a", "t", "a", {{0, 1}, {1, 2}, {2, 0}, {3, 0}});
  add("b", "s", "a", {{0, 0}, {1, 1}, {2, 2}, {2, 3}, {0, 3}});
  return MemoryGraph::Make(spec);
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_SMALL_TYPED_H_
