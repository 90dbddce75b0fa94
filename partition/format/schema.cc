#include "partition/format/schema.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {

uint32_t NodeTypeSchema::PartitionOf(int64_t internal) const {
  // The first partition that ends after it: empty ones end where they begin.
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

}  // namespace tributary
