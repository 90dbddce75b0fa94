// Columns in memory, for tests.
#ifndef TRIBUTARY_PARTITION_SOURCE_TESTING_MEMORY_COLUMN_H_
#define TRIBUTARY_PARTITION_SOURCE_TESTING_MEMORY_COLUMN_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "partition/source/graph_source.h"

namespace tributary {

// A column of values in memory; Where() says "memory, row R".
template <typename T>
class MemoryColumn final : public Column {
 public:
  MemoryColumn(ColumnSchema schema, std::vector<T> values)
      : Column(schema, static_cast<int64_t>(values.size() / schema.width())),
        values_(std::move(values)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    const size_t width = schema().width();
    std::memcpy(out, values_.data() + static_cast<size_t>(begin) * width,
                static_cast<size_t>(count) * width * sizeof(T));
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override {
    return absl::StrCat("memory, row ", row);
  }

 private:
  const std::vector<T> values_;
};

// Returns ids, times: int64, dim 0.
inline ColumnPtr MemoryIds(std::vector<int64_t> ids) {
  return std::make_shared<MemoryColumn<int64_t>>(ColumnSchema{DType::kInt64, 0},
                                                 std::move(ids));
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_TESTING_MEMORY_COLUMN_H_
