// The stream in which the program tributary-parquet sends rows.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_FRAMES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_FRAMES_H_

#include <cstddef>
#include <cstdint>

namespace tributary {

// `tributary-parquet schema FILE...` prints one line of JSON for each file:
//   {"rows": 7, "shape": "(7, 2)",
//    "columns": [{"name": "src", "type": "int64", "dim": 0}, ...]}
// "shape" is the file's metadata of that key, which DGL writes; "" without one.
// "type" is a DType or kParquetText; "dim" is as in ColumnSchema, and -1 for
// lists of a file without rows. For the first file that cannot be read the line
// is {"error": "message", "code": C} with an absl::StatusCode, and the last.
inline constexpr char kParquetText[] = "text";

// `tributary-parquet rows 0,3 FILE...` prints the columns of these numbers, of
// all files one after another, as blocks. All integers are little-endian.
//   u32 rows: 1 to kParquetBlockRows
//   for each column: rows * row_bytes() bytes; of text: u32 lengths[rows], then
//   the texts without anything between them
// The last block has 0 rows. In the place of a block may stand an error, which
// ends the stream: u32 kParquetError, u32 absl::StatusCode, u32 length, a
// message.
inline constexpr uint32_t kParquetBlockRows = 65536;
inline constexpr uint32_t kParquetError = 0xffffffff;
// A block ends early at about this many bytes; one row may have more, up to
// kParquetMaxText bytes in a text.
inline constexpr size_t kParquetBlockBytes = size_t{4} << 20;
inline constexpr uint32_t kParquetMaxText = uint32_t{16} << 20;
inline constexpr uint32_t kParquetMaxMessage = 4096;

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_PARQUET_PARQUET_FRAMES_H_
