#include "partition/pipeline/partitioners/content_source.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// The sources or destinations of an adjacency's edges, by position.
class EndColumn final : public Column {
 public:
  EndColumn(const Adjacency& edges, bool sources, std::string name)
      : Column({DType::kInt64, 0}, edges.num_edges()),
        edges_(edges),
        sources_(sources),
        name_(std::move(name)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    const auto first = static_cast<uint64_t>(begin);
    const auto end = first + static_cast<uint64_t>(count);
    const auto put = [&](uint64_t position, int64_t id) {
      std::memcpy(out + (position - first) * sizeof(id), &id, sizeof(id));
    };
    if (sources_) {
      for (uint64_t i = first; i < end; ++i) put(i, edges_.edge(i).neighbor);
      return absl::OkStatus();
    }
    const auto indptr = edges_.indptr();
    auto row = std::upper_bound(indptr.begin(), indptr.end(), first);
    for (uint64_t i = first; i < end; ++i) {
      while (*row <= i) ++row;
      put(i, row - indptr.begin() - 1);
    }
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override {
    return absl::StrCat(name_, ", position ", row);
  }

 private:
  const Adjacency& edges_;
  const bool sources_;
  const std::string name_;
};

EdgeSource SourceOfEdges(const EdgeContent& edges) {
  EdgeSource source;
  source.src = edges.src;
  source.rel = edges.rel;
  source.dst = edges.dst;
  source.src_type = edges.src_type;
  source.dst_type = edges.dst_type;
  source.reverse = edges.reverse;
  source.from = std::make_shared<EndColumn>(edges.in_edges, true, edges.name());
  source.to = std::make_shared<EndColumn>(edges.in_edges, false, edges.name());
  return source;
}

}  // namespace

GraphSource SourceOfContent(const GraphContent& content) {
  GraphSource source;
  source.name = content.name;
  source.heterogeneous = content.heterogeneous;
  for (const NodeContent& type : content.node_types) {
    NodeSource nodes;
    nodes.name = type.name;
    nodes.num_nodes = type.num_nodes;
    source.node_types.push_back(std::move(nodes));
  }
  for (const EdgeContent& edges : content.edge_types) {
    source.edge_types.push_back(SourceOfEdges(edges));
  }
  for (const SplitContent& split : content.splits) {
    if (IsEdgeTypeName(split.type)) continue;
    SplitSource nodes;
    nodes.scheme = split.scheme;
    nodes.type = split.type;
    nodes.name = split.name;
    nodes.nodes = split.ids;
    source.splits.push_back(std::move(nodes));
  }
  return source;
}

}  // namespace tributary
