#include "partition/format/paths.h"

#include "absl/strings/str_cat.h"
#include "partition/schema/type_path.h"

namespace tributary {

std::string NodeArrayPath(uint32_t partition, const std::string& node_type,
                          const std::string& array) {
  return absl::StrCat("part-", partition, "/nodes/", TypePath(node_type), "/",
                      array, ".npy");
}

std::string EdgeArrayPath(uint32_t partition, const EdgeTypeSchema& edge_type,
                          const std::string& array) {
  return absl::StrCat("part-", partition, "/edges/", TypePath(edge_type.name()),
                      "/", array, ".npy");
}

std::string MaskArray(const std::string& name) { return "mask." + name; }

std::string DegreePath(const EdgeTypeSchema& edge_type,
                       const std::string& end) {
  return absl::StrCat("degrees/", TypePath(edge_type.name()), ".", end, ".npy");
}

std::string EdgeIndexPath(const EdgeTypeSchema& edge_type,
                          const std::string& array) {
  return absl::StrCat("edge_index/", TypePath(edge_type.name()), ".", array,
                      ".npy");
}

std::string HotArrayPath(uint32_t partition, const std::string& node_type,
                         const std::string& array) {
  return absl::StrCat("part-", partition, "/", TypePath(node_type), "/", array,
                      ".npy");
}

std::string HotListArrayPath(const std::string& node_type,
                             const std::string& array) {
  return absl::StrCat(TypePath(node_type), "/", array, ".npy");
}

std::string NodeMapPath(const std::string& node_type) {
  return absl::StrCat("node_map/", TypePath(node_type), ".npy");
}

std::string NodeRanksPath(const std::string& node_type) {
  return absl::StrCat("node_map/", TypePath(node_type), ".ranks.npy");
}

std::string ExternalIdsPath(const std::string& node_type,
                            const std::string& array) {
  return absl::StrCat("ids/", TypePath(node_type), ".", array, ".npy");
}

std::string SplitPath(const SplitSchema& split) {
  return absl::StrCat("splits/", split.scheme, split.scheme.empty() ? "" : "/",
                      TypePath(split.type), "/", split.name, ".npy");
}

}  // namespace tributary
