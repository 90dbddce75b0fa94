#include "benchmarks/lib/bench/limit_memory.h"

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/io/buffer.h"
#include "common/process/memory_limit.h"

namespace tributary {
namespace {

const DrawOptions* DrawsOf(const SessionOptions& loader) {
  const auto* neighbors = std::get_if<NeighborOptions>(&loader.kind);
  return neighbors == nullptr ? nullptr : &neighbors->draws;
}

// Returns the names of the arrays of nodes and edges that batches read.
std::set<std::string> ArraysRead(const SessionOptions& loader) {
  std::set<std::string> names = {"indptr", "indices", "edge_id", "orig_id"};
  // Arrays have the names of columns; seed_time is no array.
  const std::string columns = CollectedColumnsText(loader.collect);
  for (absl::string_view name : absl::StrSplit(columns, ',')) {
    names.insert(std::string(name));
  }
  const DrawOptions* draws = DrawsOf(loader);
  if (draws == nullptr) return names;
  if (draws->draw == DrawMode::kWeighted) {
    names.insert({"weight", "weight_sum"});
  }
  if (draws->draw == DrawMode::kLabor) names.insert("neighbor_id");
  if (draws->time == TimeMode::kEdge) {
    names.insert({"edge_time", "edge_time_position"});
  }
  if (draws->time == TimeMode::kNode) {
    names.insert({"neighbor_time", "neighbor_time_position"});
  }
  if (!draws->edge_predicates.empty()) names.insert("edge_attr");
  if (!draws->edge_mask.empty()) names.insert("mask." + draws->edge_mask);
  return names;
}

// Returns the name of an array "part-P/nodes/TYPE/NAME.npy" or of one of edges;
// "" for the other files, which are read once for an input, if at all.
absl::string_view ArrayName(absl::string_view path) {
  constexpr absl::string_view kSuffix = ".npy";
  if (!absl::StartsWith(path, "part-") || !absl::EndsWith(path, kSuffix)) {
    return "";
  }
  path.remove_suffix(kSuffix.size());
  return path.substr(path.rfind('/') + 1);
}

std::string Size(uint64_t bytes) {
  if (bytes < uint64_t{1} << 20)
    return absl::StrCat((bytes + 1023) >> 10, " KiB");
  return absl::StrCat(bytes >> 20, " MiB");
}

}  // namespace

std::string LimitMemory::ToString() const {
  if (measured >= touched) return Size(measured);
  return absl::StrCat(Size(measured),
                      ", a quarter of the memory; sampling reads ",
                      Size(touched));
}

uint64_t BytesTouched(const GraphSchema& schema, const SessionOptions& loader) {
  const std::set<std::string> names = ArraysRead(loader);
  uint64_t bytes = 0;
  for (const FileSchema& file : schema.files) {
    if (names.contains(std::string(ArrayName(file.path)))) bytes += file.bytes;
  }
  return bytes;
}

LimitMemory LimitMemoryOf(uint64_t touched, uint64_t memory) {
  static_assert(kLimitShareOfMemory == 4);  // ToString() says a quarter
  return {touched,
          std::max<uint64_t>(std::min(touched, memory / kLimitShareOfMemory),
                             kCacheLine)};
}

uint64_t UsableMemoryBytes() {
  const auto limit = ReadMemoryLimit();
  return limit.ok() ? limit->total : PhysicalMemoryBytes();
}

}  // namespace tributary
