#include "partition/source/file_column.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/tensor/exact_values.h"
#include "common/text/status.h"
#include "partition/source/npy_file.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

// Bytes that are read before they are converted or picked.
constexpr size_t kScratchBytes = size_t{1} << 18;
// The same of rows whose values lie apart, each column of which is a read.
constexpr size_t kApartScratchBytes = size_t{1} << 22;

class FileColumn final : public Column {
 public:
  FileColumn(std::vector<ColumnPiece> pieces, size_t stored_row_bytes,
             ColumnSchema schema, ExactConversion convert)
      : Column(schema, RowsOf(pieces)),
        pieces_(std::move(pieces)),
        stored_row_bytes_(stored_row_bytes),
        convert_(convert) {
    int64_t end = 0;
    for (const ColumnPiece& piece : pieces_) {
      ends_.push_back(end += piece.num_rows);
    }
  }

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    const int64_t end = begin + count;
    while (begin < end) {
      const size_t p = PieceOf(begin);
      const int64_t piece_end = std::min(end, ends_[p]);
      RETURN_IF_ERROR(ReadPiece(p, begin, piece_end, out));
      out += static_cast<size_t>(piece_end - begin) * schema().row_bytes();
      begin = piece_end;
    }
    return absl::OkStatus();
  }

  std::string Where(int64_t row) const override {
    if (pieces_.empty()) return absl::StrCat("row ", row);
    // A row that is not there would be in the last file.
    const bool found = row >= 0 && row < num_rows();
    const size_t p = found ? PieceOf(row) : pieces_.size() - 1;
    const ColumnPiece& piece = pieces_[p];
    const int64_t at = row - BeginOf(p);
    const std::string& array = piece.array.empty() ? piece.path : piece.array;
    if (piece.is_row) {
      return absl::StrCat(array, ", row ", piece.column, ", column ", at);
    }
    return absl::StrCat(
        array, ", row ", at,
        piece.column < 0 ? "" : absl::StrCat(", column ", piece.column));
  }

 private:
  static int64_t RowsOf(const std::vector<ColumnPiece>& pieces) {
    int64_t rows = 0;
    for (const ColumnPiece& piece : pieces) rows += piece.num_rows;
    return rows;
  }
  // Skips empty pieces.
  size_t PieceOf(int64_t row) const {
    return static_cast<size_t>(
        std::upper_bound(ends_.begin(), ends_.end(), row) - ends_.begin());
  }
  int64_t BeginOf(size_t p) const { return ends_[p] - pieces_[p].num_rows; }

  absl::Status ReadPiece(size_t p, int64_t begin, int64_t end,
                         uint8_t* out) const {
    const ColumnPiece& piece = pieces_[p];
    ASSIGN_OR_RETURN(const UniqueFd fd, OpenForReading(piece.path));
    const uint64_t stride =
        piece.stride == 0 ? stored_row_bytes_ : piece.stride;
    const auto from = static_cast<uint64_t>(begin - BeginOf(p));
    const auto count = static_cast<size_t>(end - begin);
    if (stride == stored_row_bytes_ && convert_ == nullptr) {
      return ReadExactly(fd.get(), piece.path, piece.offset + from * stride,
                         out, count * stride);
    }
    const bool apart = piece.value_stride != 0;
    const size_t width = std::max<uint64_t>(stride, stored_row_bytes_);
    const size_t at_once = std::max<size_t>(
        1, (apart ? kApartScratchBytes : kScratchBytes) / width);
    std::vector<uint8_t> scratch(std::min(count, at_once) * width);
    for (size_t done = 0; done < count;) {
      const size_t rows = std::min(count - done, at_once);
      const uint64_t at = piece.offset + (from + done) * stride;
      RETURN_IF_ERROR(
          apart ? GatherRows(fd.get(), piece, at, rows, scratch)
                : ReadRows(fd.get(), piece, at, rows, stride, scratch));
      RETURN_IF_ERROR(Put(scratch.data(), rows, begin + done, out));
      out += rows * schema().row_bytes();
      done += rows;
    }
    return absl::OkStatus();
  }

  // Reads rows that lie `stride` bytes apart, to the front of `scratch`.
  absl::Status ReadRows(int fd, const ColumnPiece& piece, uint64_t at,
                        size_t rows, uint64_t stride,
                        std::vector<uint8_t>& scratch) const {
    // Nothing need follow the last row.
    const size_t bytes = (rows - 1) * stride + stored_row_bytes_;
    RETURN_IF_ERROR(ReadExactly(fd, piece.path, at, scratch.data(), bytes));
    for (size_t r = 0; stride != stored_row_bytes_ && r < rows; ++r) {
      std::memmove(scratch.data() + r * stored_row_bytes_,
                   scratch.data() + r * stride, stored_row_bytes_);
    }
    return absl::OkStatus();
  }

  // Reads rows whose values lie apart, the first of them at `at`: the values of
  // one column after another, which it puts side by side.
  absl::Status GatherRows(int fd, const ColumnPiece& piece, uint64_t at,
                          size_t rows, std::vector<uint8_t>& scratch) const {
    const size_t width = schema().width(), size = stored_row_bytes_ / width;
    std::vector<uint8_t> values(rows * size);
    for (size_t c = 0; c < width; ++c) {
      RETURN_IF_ERROR(ReadExactly(fd, piece.path, at + c * piece.value_stride,
                                  values.data(), values.size()));
      for (size_t r = 0; r < rows; ++r) {
        std::memcpy(scratch.data() + r * stored_row_bytes_ + c * size,
                    values.data() + r * size, size);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Put(const uint8_t* rows, size_t count, int64_t begin,
                   uint8_t* out) const {
    if (convert_ == nullptr) {
      std::memcpy(out, rows, count * stored_row_bytes_);
      return absl::OkStatus();
    }
    const size_t width = schema().width();
    const auto bad = convert_(rows, count * width, out);
    if (!bad.has_value()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        Where(begin + static_cast<int64_t>(*bad / width)), ": a value that ",
        std::string(DTypeName(schema().dtype)), " cannot hold"));
  }

  const std::vector<ColumnPiece> pieces_;
  const size_t stored_row_bytes_;
  const ExactConversion convert_;  // null: equal types
  std::vector<int64_t> ends_;
};

absl::Status CheckLength(const ColumnPiece& piece, size_t row_bytes,
                         size_t width) {
  struct stat info;
  if (stat(piece.path.c_str(), &info) != 0) {
    return PathError(piece.path, "stat");
  }
  if (piece.num_rows == 0) return absl::OkStatus();
  const uint64_t stride = piece.stride == 0 ? row_bytes : piece.stride;
  const uint64_t last_row =
      piece.value_stride == 0
          ? row_bytes
          : (width - 1) * piece.value_stride + row_bytes / width;
  const uint64_t end = piece.offset +
                       static_cast<uint64_t>(piece.num_rows - 1) * stride +
                       last_row;
  if (static_cast<uint64_t>(info.st_size) >= end) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(piece.path, " has ", info.st_size,
                                          " bytes; its ", piece.num_rows,
                                          " rows end at byte ", end));
}

// Says how floats become ids: they may have been rounded before they were
// whole.
const char* AskForWhole() { return ", as a.astype(np.int64) makes it"; }

// The type that a graph stores for a type of npy files.
absl::StatusOr<DType> StoredType(NpyType type, const std::string& path) {
  for (DType dtype : {DType::kUint8, DType::kInt8, DType::kInt16, DType::kInt32,
                      DType::kInt64, DType::kFloat16, DType::kBFloat16,
                      DType::kFloat32, DType::kFloat64, DType::kBool}) {
    if (NpyTypeOf(dtype) == type) return dtype;
  }
  if (type.kind == 'u' || type.kind == 'M' || type.kind == 'm') {
    return DType::kInt64;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, " has elements ", type.descr(),
      "; allowed: whole numbers, bool, float16, float32, float64, and |V2 "
      "for bfloat16"));
}

}  // namespace

absl::StatusOr<ColumnPtr> OpenFileColumn(std::vector<ColumnPiece> pieces,
                                         NpyType stored, ColumnSchema schema) {
  const size_t row_bytes = stored.size * schema.width();
  for (const ColumnPiece& piece : pieces) {
    RETURN_IF_ERROR(CheckLength(piece, row_bytes, schema.width()));
  }
  ExactConversion convert = nullptr;
  // A file may have any byte where NumPy has a bool.
  const bool checked = schema.dtype == DType::kBool;
  if (checked || NpyTypeOf(schema.dtype) != stored) {
    convert = WholeConversion(stored, schema.dtype);
    if (convert == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(pieces.empty() ? "" : pieces.front().path, ": elements ",
                       stored.descr(), " cannot become ",
                       std::string(DTypeName(schema.dtype)),
                       IsFloating(schema.dtype) ? "" : AskForWhole()));
    }
  }
  return std::make_shared<FileColumn>(std::move(pieces), row_bytes, schema,
                                      convert);
}

absl::StatusOr<ColumnPtr> OpenNpyColumn(const std::vector<std::string>& paths) {
  std::vector<FileArray> arrays;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(UserNpyHeader header, ReadUserNpyFileHeader(path));
    arrays.push_back({path, std::move(header), ""});
  }
  return OpenArrayColumn(arrays);
}

absl::StatusOr<ColumnPtr> OpenArrayColumn(
    const std::vector<FileArray>& arrays) {
  if (arrays.empty()) {
    return absl::InvalidArgumentError("a column without files");
  }
  const FileArray& first = arrays.front();
  std::vector<ColumnPiece> pieces;
  for (const auto& [path, header, name] : arrays) {
    if (header.shape.empty() || header.shape.size() > 2) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " has ", header.shape.size(),
                       " dimensions; allowed: [rows] and [rows, columns], as "
                       "a.reshape(len(a), -1) makes it"));
    }
    // Of a column's schema dim 0 is one value a row.
    if (header.shape.size() == 2 && header.shape[1] == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, " has rows of 0 columns; allowed: 1 column and more"));
    }
    const bool same_width =
        header.shape.size() == first.header.shape.size() &&
        (header.shape.size() == 1 || header.shape[1] == first.header.shape[1]);
    if (header.type != first.header.type || !same_width) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " has other types or columns than ", first.path));
    }
    ColumnPiece& piece = pieces.emplace_back(
        ColumnPiece{path, header.data_offset, 0, header.shape[0], name});
    if (!header.fortran_order || header.shape.size() == 1) continue;
    piece.stride = header.type.size;
    piece.value_stride =
        static_cast<uint64_t>(header.shape[0]) * header.type.size;
  }
  ASSIGN_OR_RETURN(const DType dtype,
                   StoredType(first.header.type, first.path));
  const int64_t dim =
      first.header.shape.size() == 1 ? 0 : first.header.shape[1];
  return OpenFileColumn(std::move(pieces), first.header.type, {dtype, dim});
}

std::pair<ColumnPiece, ColumnPiece> PairPieces(const FileArray& array,
                                               bool by_row) {
  const UserNpyHeader& header = array.header;
  const size_t size = header.type.size;
  const int64_t count = header.shape[by_row ? 1 : 0];
  // One end after the other, or each pair side by side.
  const bool apart = by_row != header.fortran_order;
  const uint64_t second =
      apart ? static_cast<uint64_t>(count) * size : uint64_t{size};
  const uint64_t stride = apart ? 0 : 2 * size;
  const uint64_t first = header.data_offset;
  return {{array.path, first, stride, count, array.name, 0, by_row},
          {array.path, first + second, stride, count, array.name, 1, by_row}};
}

namespace {

// The values of another column of one value a row, converted.
class ExactColumn final : public Column {
 public:
  ExactColumn(ColumnPtr column, DType dtype, ExactConversion convert)
      : Column({dtype, 0}, column->num_rows()),
        column_(std::move(column)),
        convert_(convert) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    const auto n = static_cast<size_t>(count);
    std::vector<uint8_t> rows(n * column_->schema().row_bytes());
    RETURN_IF_ERROR(column_->Read(begin, count, rows.data()));
    const auto bad = convert_(rows.data(), n, out);
    if (!bad.has_value()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        Where(begin + static_cast<int64_t>(*bad)), ": a value that ",
        std::string(DTypeName(schema().dtype)), " cannot hold; allowed: ",
        schema().dtype == DType::kBool    ? "0 and 1"
        : schema().dtype == DType::kInt64 ? "whole numbers"
                                          : "numbers that it holds exactly"));
  }
  std::string Where(int64_t row) const override { return column_->Where(row); }

 private:
  const ColumnPtr column_;
  const ExactConversion convert_;
};

ColumnPtr Converted(ColumnPtr column, DType dtype, ExactConversion convert) {
  const ColumnSchema schema = column->schema();
  if (schema.dim > 1) return nullptr;
  if (schema == ColumnSchema{dtype, 0}) return column;
  if (convert == nullptr) return nullptr;
  return std::make_shared<ExactColumn>(std::move(column), dtype, convert);
}

}  // namespace

absl::StatusOr<ColumnPtr> AsInt64(ColumnPtr column, const std::string& what) {
  const ColumnSchema schema = column->schema();
  ColumnPtr whole =
      Converted(std::move(column), DType::kInt64,
                WholeConversion(NpyTypeOf(schema.dtype), DType::kInt64));
  if (whole != nullptr) return whole;
  return absl::InvalidArgumentError(absl::StrCat(
      what, " is ", std::string(DTypeName(schema.dtype)), " of width ",
      schema.width(), "; allowed: one whole number a row",
      IsFloating(schema.dtype) ? AskForWhole() : ""));
}

ColumnPtr AsExact(ColumnPtr column, DType dtype) {
  const NpyType from = NpyTypeOf(column->schema().dtype);
  return Converted(std::move(column), dtype, AnyExactConversion(from, dtype));
}

}  // namespace tributary
