#include "partition/format/testing/hot_list_of.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "common/hash/crc32c.h"

namespace tributary {
namespace {

struct Arrays {
  std::vector<int64_t> order;
  std::vector<uint32_t> crc, rank;
};

absl::Span<const uint8_t> Row(absl::Span<const uint8_t> column, size_t rows,
                              size_t row) {
  const size_t bytes = column.size() / rows;
  return column.subspan(row * bytes, bytes);
}

Arrays ArraysOf(const Graph& graph, int type, std::mt19937_64& random) {
  const NodeTypeSchema& schema = graph.schema().node_types[type];
  Arrays arrays;
  if (!schema.x.has_value() && !schema.y.has_value()) return arrays;
  const auto n = static_cast<size_t>(schema.num_nodes);
  arrays.rank.resize(n);
  std::iota(arrays.rank.begin(), arrays.rank.end(), 0u);
  std::shuffle(arrays.rank.begin(), arrays.rank.end(), random);
  arrays.order.resize(n);
  arrays.crc.resize(n);
  for (uint32_t p = 0; p < graph.schema().num_partitions; ++p) {
    const NodePartition& nodes = *graph.nodes(type, p);
    for (size_t row = 0; row < nodes.orig_id.size(); ++row) {
      const uint32_t rank =
          arrays.rank[static_cast<size_t>(schema.base[p]) + row];
      arrays.order[rank] = nodes.orig_id[row];
      const size_t rows = nodes.orig_id.size();
      arrays.crc[rank] = ExtendCrc32c(Crc32c(Row(nodes.x, rows, row)),
                                      Row(nodes.y, rows, row));
    }
  }
  return arrays;
}

}  // namespace

std::shared_ptr<const HotList> HotListOf(const Graph& graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto arrays = std::make_shared<std::vector<Arrays>>();
  std::vector<HotList::Nodes> types;
  const auto num_types = static_cast<int>(graph.schema().node_types.size());
  for (int t = 0; t < num_types; ++t) {
    arrays->push_back(ArraysOf(graph, t, random));
  }
  for (const Arrays& of : *arrays) {
    types.push_back({of.order, of.crc, of.rank});
  }
  Sha256Digest digest = graph.schema().content_digest;
  digest[0] = static_cast<uint8_t>(digest[0] + 1 + seed);
  return std::make_shared<HotList>("random", digest, std::move(types),
                                   std::vector<HotList::File>(),
                                   std::move(arrays));
}

}  // namespace tributary
