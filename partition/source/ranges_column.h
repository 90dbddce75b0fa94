// A column that consists of ranges of another one.
#ifndef TRIBUTARY_PARTITION_SOURCE_RANGES_COLUMN_H_
#define TRIBUTARY_PARTITION_SOURCE_RANGES_COLUMN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "partition/source/graph_source.h"

namespace tributary {

// Rows [begin, begin + count) of a column.
struct RowRange {
  int64_t begin = 0;
  int64_t count = 0;
};

// The rows of several ranges of `base`, one range after another. Holds 24 bytes
// for each range.
class RangesColumn final : public Column {
 public:
  // Requires ranges within `base`.
  RangesColumn(ColumnPtr base, std::vector<RowRange> ranges);

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override;
  std::string Where(int64_t row) const override;

 private:
  size_t RangeOf(int64_t row) const;
  int64_t FirstOf(size_t range) const {
    return ends_[range] - ranges_[range].count;
  }

  const ColumnPtr base_;
  const std::vector<RowRange> ranges_;
  std::vector<int64_t> ends_;  // by range: the rows up to its end
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_RANGES_COLUMN_H_
