#include "sampler_server/service/leaf/leaf_checks.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tributary {

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

absl::Status CheckPayload(uint64_t count, size_t item_bytes,
                          size_t payload_bytes) {
  if (payload_bytes % item_bytes == 0 && payload_bytes / item_bytes == count) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("payload of ", payload_bytes, " bytes for ", count,
                   " items of ", item_bytes, " bytes"));
}

absl::Status CheckRows(absl::Span<const uint64_t> rows, uint64_t num_rows) {
  for (uint64_t row : rows) {
    if (row < num_rows) continue;
    return absl::OutOfRangeError(
        absl::StrCat("row ", row, " of a partition with ", num_rows));
  }
  return absl::OkStatus();
}

}  // namespace tributary
