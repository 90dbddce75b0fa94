#include "partition/schema/schema.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {

uint32_t NodeTypeSchema::PartitionOf(int64_t internal) const {
  // The first partition that ends after the id: empty partitions end where they
  // begin.
  const auto end = std::upper_bound(base.begin() + 1, base.end() - 1, internal);
  return static_cast<uint32_t>(end - (base.begin() + 1));
}

int GraphSchema::FindNodeType(std::string_view type_name) const {
  for (size_t i = 0; i < node_types.size(); ++i) {
    if (node_types[i].name == type_name) return static_cast<int>(i);
  }
  return -1;
}

int GraphSchema::FindEdgeType(std::string_view canonical_name) const {
  for (size_t i = 0; i < edge_types.size(); ++i) {
    if (edge_types[i].name() == canonical_name) return static_cast<int>(i);
  }
  return -1;
}

int GraphSchema::ReverseOf(int edge_type) const {
  constexpr std::string_view kReverse = "rev_";
  const EdgeTypeSchema& type = edge_types[edge_type];
  EdgeTypeSchema other;
  other.src = type.dst;
  other.dst = type.src;
  other.rel = type.reverse ? type.rel.substr(kReverse.size())
                           : std::string(kReverse) + type.rel;
  const int found = FindEdgeType(other.name());
  return found >= 0 && edge_types[found].reverse != type.reverse ? found : -1;
}

int64_t GraphSchema::NumNodes() const {
  int64_t nodes = 0;
  for (const NodeTypeSchema& type : node_types) nodes += type.num_nodes;
  return nodes;
}

int64_t GraphSchema::NumEdges() const {
  int64_t edges = 0;
  for (size_t t = 0; t < edge_types.size(); ++t) {
    if (IsVisible(static_cast<int>(t))) edges += edge_types[t].num_edges;
  }
  return edges;
}

std::string GraphSchema::EdgeTypeNames() const {
  std::vector<std::string> names;
  for (size_t t = 0; t < edge_types.size(); ++t) {
    if (IsVisible(static_cast<int>(t))) names.push_back(edge_types[t].name());
  }
  return absl::StrJoin(names, " ");
}

absl::StatusOr<size_t> GraphSchema::FindSplit(std::string_view type,
                                              std::string_view split) const {
  std::vector<std::string> names;
  std::vector<size_t> found;
  for (size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].type != type) continue;
    names.push_back(splits[i].full_name());
    if (names.back() == split) return i;
    if (splits[i].name == split) found.push_back(i);
  }
  if (found.size() == 1) return found[0];
  const std::string allowed =
      names.empty() ? "it has none" : absl::StrJoin(names, ", ");
  if (found.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("several schemes have a split '", std::string(split),
                     "'; name one of: ", allowed));
  }
  return absl::NotFoundError(
      absl::StrCat("there is no split '", std::string(split), "' of ",
                   IsEdgeTypeName(type) ? "edge" : "node", " type ",
                   std::string(type), "; allowed: ", allowed));
}

}  // namespace tributary
