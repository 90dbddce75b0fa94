// An interface to a column of a user's graph that need not fit into memory.
#ifndef TRIBUTARY_PARTITION_SOURCE_COLUMN_H_
#define TRIBUTARY_PARTITION_SOURCE_COLUMN_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "partition/schema/schema.h"

namespace tributary {

// A column of fixed-size rows, read in ranges. Rows may be in files, in memory,
// or computed. Immutable and thread-safe; an implementation holds no memory
// that grows with the rows.
class Column {
 public:
  Column(ColumnSchema schema, int64_t num_rows)
      : schema_(schema), num_rows_(num_rows) {}
  virtual ~Column() = default;
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;

  const ColumnSchema& schema() const { return schema_; }
  int64_t num_rows() const { return num_rows_; }
  // Copies rows [begin, begin + count) to `out`, which has room for count *
  // schema().row_bytes(). Requires 0 <= begin <= begin + count <= num_rows().
  // DATA_LOSS names the file that has become shorter; INVALID_ARGUMENT, with
  // file and row, a value that the schema's type cannot hold; else the system's
  // error with the path. Best called for thousands of rows at a time.
  virtual absl::Status Read(int64_t begin, int64_t count,
                            uint8_t* out) const = 0;
  // Returns where a row is from, for messages: "edges.npy, row 7".
  virtual std::string Where(int64_t row) const = 0;

 private:
  const ColumnSchema schema_;
  const int64_t num_rows_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_COLUMN_H_
