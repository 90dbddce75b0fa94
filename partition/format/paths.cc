#include "partition/format/paths.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tributary {

std::string NodeArrayPath(uint32_t partition, const std::string& node_type,
                          const std::string& array) {
  return absl::StrCat("part-", partition, "/nodes/", node_type, "/", array,
                      ".npy");
}

std::string EdgeArrayPath(uint32_t partition, const EdgeTypeSchema& edge_type,
                          const std::string& array) {
  return absl::StrCat("part-", partition, "/edges/", edge_type.src, "__",
                      edge_type.rel, "__", edge_type.dst, "/", array, ".npy");
}

std::string MaskArray(const std::string& name) { return "mask." + name; }

std::string DegreePath(const EdgeTypeSchema& edge_type,
                       const std::string& end) {
  return absl::StrCat("degrees/", edge_type.src, "__", edge_type.rel, "__",
                      edge_type.dst, ".", end, ".npy");
}

std::string EdgeIndexPath(const EdgeTypeSchema& edge_type,
                          const std::string& array) {
  return absl::StrCat("edge_index/", edge_type.src, "__", edge_type.rel, "__",
                      edge_type.dst, ".", array, ".npy");
}

std::string HotArrayPath(uint32_t partition, const std::string& node_type,
                         const std::string& array) {
  return absl::StrCat("part-", partition, "/", node_type, "/", array, ".npy");
}

std::string NodeMapPath(const std::string& node_type) {
  return absl::StrCat("node_map/", node_type, ".npy");
}

std::string NodeRanksPath(const std::string& node_type) {
  return absl::StrCat("node_map/", node_type, ".ranks.npy");
}

std::string ExternalIdsPath(const std::string& node_type,
                            const std::string& array) {
  return absl::StrCat("ids/", node_type, ".", array, ".npy");
}

std::string SplitPath(const SplitSchema& split) {
  return absl::StrCat("splits/", split.scheme, split.scheme.empty() ? "" : "/",
                      absl::StrReplaceAll(split.type, {{",", "__"}}), "/",
                      split.name, ".npy");
}

}  // namespace tributary
