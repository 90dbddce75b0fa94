#include "sampler_server/service/leaf_checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sampler_server/service/leaf_calls.h"

namespace tributary {
namespace {

absl::Status CheckDigest(std::string_view what, const Sha256Digest& ours,
                         const std::string& theirs) {
  if (theirs.size() != ours.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(what), " digest of ", theirs.size(),
                     " bytes; it has ", ours.size()));
  }
  if (std::memcmp(theirs.data(), ours.data(), ours.size()) == 0) {
    return absl::OkStatus();
  }
  Sha256Digest digest;
  std::memcpy(digest.data(), theirs.data(), digest.size());
  return absl::FailedPreconditionError(absl::StrCat(
      "the request is for a graph with ", std::string(what), " digest ",
      ToHex(digest), "; this server's graph has ", ToHex(ours)));
}

}  // namespace

absl::Status CheckIndex(std::string_view what, uint64_t index, size_t count) {
  if (index < count) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(what), " ", index, " is not below ", count));
}

absl::Status NotHere(const Graph& graph, uint32_t partition) {
  return absl::NotFoundError(absl::StrCat(
      "partition ", partition, " is not on this server, which has ",
      absl::StrJoin(graph.partitions(), ",")));
}

absl::Status CheckPayload(uint64_t count, size_t item_bytes, size_t payload) {
  if (payload % item_bytes == 0 && payload / item_bytes == count) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("payload of ", payload, " bytes for ", count, " items of ",
                   item_bytes, " bytes"));
}

absl::Status CheckRows(absl::Span<const uint64_t> rows, uint64_t num_rows) {
  for (uint64_t row : rows) {
    if (row < num_rows) continue;
    return absl::OutOfRangeError(
        absl::StrCat("row ", row, " of a partition with ", num_rows));
  }
  return absl::OkStatus();
}

absl::Status CheckLayoutDigest(const GraphSchema& schema,
                               const std::string& theirs) {
  return CheckDigest("layout", schema.layout_digest, theirs);
}

absl::Status CheckContentDigest(const GraphSchema& schema,
                                const std::string& theirs) {
  return CheckDigest("content", schema.content_digest, theirs);
}

}  // namespace tributary
