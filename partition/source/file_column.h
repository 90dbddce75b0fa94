// Columns in binary files: .npy files and others with rows of a fixed size.
#ifndef TRIBUTARY_PARTITION_SOURCE_FILE_COLUMN_H_
#define TRIBUTARY_PARTITION_SOURCE_FILE_COLUMN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "common/tensor/npy.h"
#include "common/tensor/user_npy.h"
#include "partition/source/column.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Consecutive rows of a column in one file: row i begins at offset + i *
// stride. Files are opened for each read, so a column may have any number of
// them.
struct ColumnPiece {
  std::string path;
  uint64_t offset = 0;
  uint64_t stride = 0;  // bytes; 0: rows follow one another without gaps
  int64_t num_rows = 0;
  // Where the piece is, for messages: the array, such as "g.npz:edge_index"
  // (empty: the path), and the column of it that the piece is, or the row; -1:
  // its only one.
  std::string array;
  int column = -1;
  bool is_row = false;
  // Bytes from a value of a row to the next, where they are apart, as in
  // Fortran order; 0: they follow one another.
  uint64_t value_stride = 0;
};

// Returns the rows of all pieces one after another. Elements of `stored` are
// converted to those of `schema` by WholeConversion (exact_values.h; a value
// that does not fit is an error); equal types are copied, but a byte of a bool
// must be 0 or 1. `stored` may be any npy type that there is.
// INVALID_ARGUMENT for another conversion; DATA_LOSS if a file is shorter than
// its rows; the system's error with the path.
absl::StatusOr<ColumnPtr> OpenFileColumn(std::vector<ColumnPiece> pieces,
                                         NpyType stored, ColumnSchema schema);

// Returns the column of .npy files of equal types and widths, [rows] or [rows,
// dim], in either order, one after another, with elements as they are; whole
// numbers of types that a graph does not store (uint16, uint32, uint64) and
// datetime64 become int64. INVALID_ARGUMENT names the file that differs.
absl::StatusOr<ColumnPtr> OpenNpyColumn(const std::vector<std::string>& paths);

// An array in a file: a .npy file, or a part of a .npz file. The header's
// data_offset counts from the file's beginning.
struct FileArray {
  std::string path;
  UserNpyHeader header;
  std::string name;  // for messages: "g.npz:x"; empty: the path
};
// Like OpenNpyColumn for arrays whose headers have been read.
absl::StatusOr<ColumnPtr> OpenArrayColumn(const std::vector<FileArray>& arrays);

// Returns the pieces of pairs of ids of the array: its rows [2, E] if `by_row`,
// else its columns [E, 2]. Requires that shape.
std::pair<ColumnPiece, ColumnPiece> PairPieces(const FileArray& array,
                                               bool by_row);

// Returns `column` of a type of whole numbers as int64, dim 0, for ids.
// INVALID_ARGUMENT, naming the column `what`, for another type or width.
absl::StatusOr<ColumnPtr> AsInt64(ColumnPtr column, const std::string& what);

// Returns one value a row as `dtype`, dim 0, by AnyExactConversion; null if
// there is none, or the width is another. Reading is INVALID_ARGUMENT, with
// the row, for a value that `dtype` cannot hold.
ColumnPtr AsExact(ColumnPtr column, DType dtype);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_FILE_COLUMN_H_
