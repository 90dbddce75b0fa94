#include "partition/format/testing/hot_list_of.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/hash/crc32c.h"
#include "partition/schema/hot_list_json.h"

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

template <typename T>
absl::Span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(T)};
}

// The SHA-256 of each block of an array.
template <typename T>
std::vector<Sha256Digest> BlocksOf(const std::vector<T>& values) {
  std::vector<Sha256Digest> digests;
  const auto bytes = BytesOf(values);
  for (size_t at = 0; at < bytes.size(); at += kHotListBlockRows * sizeof(T)) {
    digests.push_back(
        Sha256Of(bytes.subspan(at, kHotListBlockRows * sizeof(T))));
  }
  return digests;
}

// A list's memory.
struct Content {
  std::vector<Arrays> types;
  std::vector<std::vector<Sha256Digest>> order_blocks, crc_blocks;
  std::string json;
};

std::vector<HotList::File> FilesOf(const Graph& graph, Content& content) {
  HotListJson json{graph.schema().content_digest, {}};
  std::vector<HotList::File> files(1);
  for (size_t t = 0; t < content.types.size(); ++t) {
    const Arrays& arrays = content.types[t];
    content.order_blocks.push_back(BlocksOf(arrays.order));
    content.crc_blocks.push_back(BlocksOf(arrays.crc));
    if (arrays.order.empty()) continue;
    const std::string& name = graph.schema().node_types[t].name;
    const auto order_blocks = BytesOf(content.order_blocks.back());
    const auto crc_blocks = BytesOf(content.crc_blocks.back());
    json.node_types.push_back({name, static_cast<int64_t>(arrays.order.size()),
                               Sha256Of(order_blocks), Sha256Of(crc_blocks)});
    files.push_back({"order/" + name, BytesOf(arrays.order)});
    files.push_back({"crc/" + name, BytesOf(arrays.crc)});
    files.push_back({"order.blocks/" + name, order_blocks});
    files.push_back({"crc.blocks/" + name, crc_blocks});
  }
  content.json = json.ToJson();
  files[0] = {"list.json",
              {reinterpret_cast<const uint8_t*>(content.json.data()),
               content.json.size()}};
  return files;
}

}  // namespace

std::shared_ptr<const HotList> HotListOf(const Graph& graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto content = std::make_shared<Content>();
  const auto num_types = static_cast<int>(graph.schema().node_types.size());
  for (int t = 0; t < num_types; ++t) {
    content->types.push_back(ArraysOf(graph, t, random));
  }
  std::vector<HotList::File> files = FilesOf(graph, *content);
  std::vector<HotList::Nodes> types;
  for (const Arrays& of : content->types) {
    types.push_back({of.order, of.crc, of.rank});
  }
  return std::make_shared<HotList>("random", Sha256Of(content->json),
                                   std::move(types), std::move(files),
                                   std::move(content));
}

}  // namespace tributary
