#include "partition/format/testing/random_graph.h"

#include <random>

namespace tributary {

namespace {

// Added last, so that all else stays the same without them. Few different
// values, so that there are rows of zeros and equal times.
template <typename Below>
void AddColumns(uint32_t seed, Below below, GraphSpec& spec) {
  constexpr double kWeights[] = {0, 0, 1, 0.1, 3.5, 1e-12, 5e8};
  constexpr int64_t kTimes[] = {-5000000000, -1, 0, 1, 5000000000};
  for (size_t i = 0; i < spec.edges.size(); ++i) {
    if ((seed & 4) != 0) spec.weight.push_back(kWeights[below(7)]);
    if ((seed & 8) != 0) spec.edge_time.push_back(kTimes[below(5)]);
  }
  for (int64_t v = 0; v < spec.num_nodes; ++v) {
    if ((seed & 16) != 0) spec.node_time.push_back(kTimes[below(5)]);
  }
  if ((seed & 1) != 0) spec.weight_dtype = DType::kFloat32;
  spec.neighbor_ids = (seed & 16) != 0;
  spec.degrees = (seed & 8) != 0;
  spec.edge_index = (seed & 2) != 0;
  spec.scaled = seed % 3 == 1;
  for (const char* name : {"held_out", "train"}) {
    if ((seed & 8) == 0) continue;
    std::vector<uint8_t>& mask = spec.masks[name];
    for (size_t i = 0; i < spec.edges.size(); ++i) {
      mask.push_back(static_cast<uint8_t>(below(2)));
    }
  }
}

}  // namespace

GraphSpec RandomGraph(uint32_t seed) {
  std::mt19937 random(seed);  // its numbers are fixed by the standard
  const auto below = [&](uint32_t n) {
    return static_cast<int64_t>(random() % n);
  };
  GraphSpec spec;
  spec.num_nodes = 1 + below(12);
  const int64_t num_edges = below(61);
  spec.add_reverse = (seed & 1) != 0;
  spec.dedupe = (seed & 2) != 0;
  // Uses half of the nodes only, so that the others are isolated.
  const auto busy = static_cast<uint32_t>(1 + spec.num_nodes / 2);
  for (int64_t i = 0; i < num_edges; ++i) {
    spec.edges.emplace_back(below(busy), below(busy));
    for (int j = 0; j < 2; ++j) {
      spec.edge_attr.push_back(static_cast<float>(10 * i + j));
    }
  }
  spec.edge_attr_dim = 2;
  spec.num_partitions = static_cast<uint32_t>(1 + below(8));
  for (int64_t v = 0; v < spec.num_nodes; ++v) {
    spec.partition_of.push_back(
        static_cast<uint16_t>(below(spec.num_partitions)));
    for (int j = 0; j < 3; ++j) {
      spec.x.push_back(static_cast<float>(100 * v + j));
    }
    spec.y.push_back(v % 4);
  }
  spec.x_dim = 3;
  spec.splits["train"] = {below(spec.num_nodes), below(spec.num_nodes)};
  AddColumns(seed, below, spec);
  return spec;
}

}  // namespace tributary
