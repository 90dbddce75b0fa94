// Fuzzes DGL's metadata.json: any text is either a consistent description or
// refused with what is wrong.
#include <cstdint>
#include <set>
#include <string>

#include "absl/strings/string_view.h"
#include "partition/pipeline/inputs/dgl_chunked/dgl_metadata.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr int64_t kMost = int64_t{1} << 56;

void CheckCounts(const ChunkCounts& counts) {
  Must(counts.total >= 0 && counts.total <= kMost, "counts are bounded");
  int64_t sum = 0;
  for (const int64_t count : counts.by_chunk) sum += count;
  Must(counts.by_chunk.empty() || sum == counts.total, "chunks are the total");
}

void CheckFiles(const ChunkFiles& files) {
  Must(!files.paths.empty(), "an array has files");
  for (const std::string& path : files.paths) {
    Must(!path.empty(), "files have names");
  }
  Must(files.delimiter != '\n' && files.delimiter != '\0', "cells have ends");
}

template <typename Type>
void CheckData(const Type& type) {
  for (const auto& array : type.data) CheckFiles(array.second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto metadata = ParseDglMetadata(text, "metadata.json");
  if (!metadata.ok()) {
    Must(metadata.status().code() == absl::StatusCode::kInvalidArgument,
         "refused as the user's mistake");
    return 0;
  }
  std::set<std::string> names;
  for (const DglNodeType& type : metadata->node_types) {
    Must(names.insert(type.name).second, "names are unique");
    CheckCounts(type.nodes);
    CheckData(type);
  }
  for (const DglEdgeType& type : metadata->edge_types) {
    Must(names.contains(type.src) && names.contains(type.dst),
         "both ends are node types");
    CheckCounts(type.edges);
    CheckData(type);
    if (type.edges.total > 0) CheckFiles(type.ends);
  }
  return 0;
}

}  // namespace tributary
