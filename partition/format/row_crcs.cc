#include "partition/format/row_crcs.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "common/hash/crc32c.h"
#include "common/runtime/cancel_token.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kBytesAtOnce = size_t{4} << 20;
constexpr size_t kMostRowsAtOnce = 4096;

void AppendRows(const std::optional<ColumnSchema>& schema,
                absl::Span<const uint8_t> column, size_t at,
                absl::Span<uint32_t> crcs) {
  if (!schema.has_value()) return;
  const size_t bytes = schema->row_bytes();
  for (size_t i = 0; i < crcs.size(); ++i) {
    crcs[i] = ExtendCrc32c(crcs[i], column.subspan((at + i) * bytes, bytes));
  }
}

absl::Status AppendFileRows(const std::optional<ColumnSchema>& schema,
                            const RowFile& file, size_t at,
                            absl::Span<uint32_t> crcs) {
  std::vector<uint8_t> bytes(crcs.size() * file.row_bytes());
  std::vector<uint64_t> rows(crcs.size());
  std::iota(rows.begin(), rows.end(), at);
  std::vector<uint32_t> order(crcs.size());
  std::iota(order.begin(), order.end(), 0u);
  RowPlaces places;
  places.rows = rows;
  places.out = bytes.data();
  RETURN_IF_ERROR(file.Read(places, order, CancelToken()).status());
  AppendRows(schema, bytes, 0, crcs);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadRowCrcs(const NodeTypeSchema& type, const NodePartition& nodes,
                         size_t at, absl::Span<uint32_t> crcs) {
  std::fill(crcs.begin(), crcs.end(), 0u);
  if (nodes.x_file != nullptr) {
    RETURN_IF_ERROR(AppendFileRows(type.x, *nodes.x_file, at, crcs));
  } else {
    AppendRows(type.x, nodes.x, at, crcs);
  }
  AppendRows(type.y, nodes.y, at, crcs);
  return absl::OkStatus();
}

size_t RowsAtOnce(const NodeTypeSchema& type) {
  const size_t bytes = type.x.has_value() ? type.x->row_bytes() : 1;
  return std::clamp<size_t>(kBytesAtOnce / bytes, 1, kMostRowsAtOnce);
}

}  // namespace tributary
