// An interface to rows of features, labels or edge attributes.
#ifndef TRIBUTARY_PARTITION_WRITER_ROW_SOURCE_H_
#define TRIBUTARY_PARTITION_WRITER_ROW_SOURCE_H_

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "partition/schema/schema.h"

namespace tributary {

// A column of fixed-size rows that can be copied by number. Rows may be in
// memory, in a mapped file, or computed. Immutable and thread-safe.
class RowSource {
 public:
  explicit RowSource(ColumnSchema schema) : schema_(schema) {}
  virtual ~RowSource() = default;

  const ColumnSchema& schema() const { return schema_; }
  virtual int64_t num_rows() const = 0;
  // Copies the rows one after another to `out`, which has room for rows.size()
  // * schema().row_bytes(). Requires 0 <= row < num_rows().
  virtual void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const = 0;

 private:
  const ColumnSchema schema_;
};

// Rows held in memory. `data` has num_rows rows of schema.row_bytes().
template <typename T>
class StoredRows final : public RowSource {
 public:
  StoredRows(ColumnSchema schema, std::vector<T> data)
      : RowSource(schema), data_(std::move(data)) {}

  int64_t num_rows() const override {
    const size_t bytes = schema().row_bytes();
    return bytes == 0 ? 0
                      : static_cast<int64_t>(data_.size() * sizeof(T) / bytes);
  }
  void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const override {
    const size_t bytes = schema().row_bytes();
    const auto* base = reinterpret_cast<const uint8_t*>(data_.data());
    for (size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(out + i * bytes, base + static_cast<size_t>(rows[i]) * bytes,
                  bytes);
    }
  }

 private:
  const std::vector<T> data_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_ROW_SOURCE_H_
