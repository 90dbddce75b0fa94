// A graph whose rows trainers hold, for tests.
#ifndef TRIBUTARY_TESTS_HOT_HOT_GRAPH_H_
#define TRIBUTARY_TESTS_HOT_HOT_GRAPH_H_

#include <cstdint>

#include "partition/format/testing/graph_builder.h"

namespace tributary {

inline constexpr int64_t kHotGraphNodes = 300;

// A ring in two partitions. x of node i is i, i + 1/8, ...; y is i.
inline GraphSpec HotGraph() {
  GraphSpec spec;
  spec.num_nodes = kHotGraphNodes;
  spec.x_dim = 6;
  for (int64_t i = 0; i < kHotGraphNodes; ++i) {
    spec.edges.emplace_back(i, (i + 1) % kHotGraphNodes);
    spec.y.push_back(i);
    for (int64_t j = 0; j < 6; ++j) {
      spec.x.push_back(static_cast<float>(i) + static_cast<float>(j) / 8);
    }
  }
  spec.num_partitions = 2;
  return spec;
}

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_HOT_HOT_GRAPH_H_
