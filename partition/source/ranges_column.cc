#include "partition/source/ranges_column.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

int64_t CountRows(const std::vector<RowRange>& ranges) {
  int64_t rows = 0;
  for (const RowRange& range : ranges) rows += range.count;
  return rows;
}

}  // namespace

RangesColumn::RangesColumn(ColumnPtr base, std::vector<RowRange> ranges)
    : Column(base->schema(), CountRows(ranges)),
      base_(std::move(base)),
      ranges_(std::move(ranges)) {
  int64_t end = 0;
  for (const RowRange& range : ranges_) ends_.push_back(end += range.count);
}

// Skips empty ranges.
size_t RangesColumn::RangeOf(int64_t row) const {
  return static_cast<size_t>(std::upper_bound(ends_.begin(), ends_.end(), row) -
                             ends_.begin());
}

absl::Status RangesColumn::Read(int64_t begin, int64_t count,
                                uint8_t* out) const {
  const int64_t end = begin + count;
  while (begin < end) {
    const size_t r = RangeOf(begin);
    const int64_t rows = std::min(end, ends_[r]) - begin;
    RETURN_IF_ERROR(
        base_->Read(ranges_[r].begin + begin - FirstOf(r), rows, out));
    out += static_cast<size_t>(rows) * schema().row_bytes();
    begin += rows;
  }
  return absl::OkStatus();
}

std::string RangesColumn::Where(int64_t row) const {
  if (row < 0 || row >= num_rows()) return absl::StrCat("row ", row);
  const size_t r = RangeOf(row);
  return base_->Where(ranges_[r].begin + row - FirstOf(r));
}

}  // namespace tributary
