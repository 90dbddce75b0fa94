#include "partition/format/graph_bytes.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace tributary {
namespace {

// Splits a path "part-P/REST"; `rest` is the whole path, and the result false,
// if it belongs to no partition.
bool PartitionOf(absl::string_view path, uint32_t* partition,
                 absl::string_view* rest) {
  *rest = path;
  if (!absl::ConsumePrefix(&path, "part-")) return false;
  const size_t slash = path.find('/');
  if (slash == absl::string_view::npos) return false;
  *rest = path.substr(slash + 1);
  return absl::SimpleAtoi(path.substr(0, slash), partition);
}

bool IsFeatures(absl::string_view path) {
  return (absl::StartsWith(path, "nodes/") && absl::EndsWith(path, "/x.npy")) ||
         (absl::StartsWith(path, "edges/") &&
          absl::EndsWith(path, "/edge_attr.npy"));
}

std::string Mebibytes(uint64_t bytes) {
  return absl::StrCat((bytes >> 20) + (bytes % (1 << 20) != 0 ? 1 : 0), " MiB");
}

}  // namespace

GraphBytes GraphBytesOf(const GraphSchema& schema,
                        const std::vector<uint32_t>& partitions) {
  GraphBytes bytes;
  for (const FileSchema& file : schema.files) {
    uint32_t partition = 0;
    absl::string_view rest;
    const bool parted = PartitionOf(file.path, &partition, &rest);
    if (parted && std::find(partitions.begin(), partitions.end(), partition) ==
                      partitions.end()) {
      continue;
    }
    (parted && IsFeatures(rest) ? bytes.features : bytes.rest) += file.bytes;
  }
  return bytes;
}

absl::StatusOr<bool> ReadsFeatures(const GraphBytes& bytes, FeatureMemory where,
                                   uint64_t memory) {
  if (where == FeatureMemory::kResident) return false;
  if (bytes.rest > memory) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the graph takes ", Mebibytes(bytes.rest), " without its features; ",
        Mebibytes(memory),
        " of memory are left for it: serve fewer partitions (--partitions), "
        "lower --memory-budget, or map it whatever memory there is "
        "(--feature-memory resident)"));
  }
  if (where == FeatureMemory::kPaged) return bytes.features > 0;
  return bytes.features > memory - bytes.rest;
}

CopiedArrays ChooseCopies(const GraphBytes& bytes, bool reads_features,
                          HugePages huge_pages, uint64_t memory) {
  CopiedArrays copied;
  if (huge_pages == HugePages::kOff) return copied;
  copied.reserved = huge_pages == HugePages::kRequire;
  copied.rest = copied.reserved || bytes.rest <= memory;
  copied.features = copied.rest && !reads_features &&
                    (copied.reserved || bytes.features <= memory - bytes.rest);
  return copied;
}

bool IsFeatureFile(absl::string_view path) {
  uint32_t partition = 0;
  absl::string_view rest;
  return PartitionOf(path, &partition, &rest) && IsFeatures(rest);
}

}  // namespace tributary
