#include "partition/source/file_column.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/npy_file.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

// Bytes that are read before they are converted or picked.
constexpr size_t kScratchBytes = size_t{1} << 18;

// Converts `count` values; returns the index of the first that does not fit.
using Convert = std::optional<size_t> (*)(const uint8_t* from, size_t count,
                                          uint8_t* to);

template <typename From, typename To>
std::optional<size_t> ConvertValues(const uint8_t* from, size_t count,
                                    uint8_t* to) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    if constexpr (std::is_integral_v<To>) {
      if (!std::in_range<To>(value)) return i;
    }
    const auto converted = static_cast<To>(value);
    std::memcpy(to + i * sizeof(To), &converted, sizeof(To));
  }
  return std::nullopt;
}

// Whole numbers 0 and 1 as bool.
template <typename From>
std::optional<size_t> ConvertToBool(const uint8_t* from, size_t count,
                                    uint8_t* to) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    if (value != 0 && value != 1) return i;
    to[i] = static_cast<uint8_t>(value);
  }
  return std::nullopt;
}

template <typename From>
Convert ConvertFromWhole(DType to) {
  switch (to) {
    case DType::kUint8:
      return ConvertValues<From, uint8_t>;
    case DType::kInt8:
      return ConvertValues<From, int8_t>;
    case DType::kInt16:
      return ConvertValues<From, int16_t>;
    case DType::kInt32:
      return ConvertValues<From, int32_t>;
    case DType::kInt64:
      return ConvertValues<From, int64_t>;
    case DType::kBool:
      return ConvertToBool<From>;
    default:
      return nullptr;
  }
}

Convert ConversionOf(NpyType from, DType to) {
  if (from.kind == 'f' && from.size == 4 && to == DType::kFloat64) {
    return ConvertValues<float, double>;
  }
  if (from.kind == 'b') return ConvertFromWhole<uint8_t>(to);
  if (from.kind == 'u') {
    switch (from.size) {
      case 1:
        return ConvertFromWhole<uint8_t>(to);
      case 2:
        return ConvertFromWhole<uint16_t>(to);
      case 4:
        return ConvertFromWhole<uint32_t>(to);
      case 8:
        return ConvertFromWhole<uint64_t>(to);
    }
  }
  if (from.kind == 'i') {
    switch (from.size) {
      case 1:
        return ConvertFromWhole<int8_t>(to);
      case 2:
        return ConvertFromWhole<int16_t>(to);
      case 4:
        return ConvertFromWhole<int32_t>(to);
      case 8:
        return ConvertFromWhole<int64_t>(to);
    }
  }
  return nullptr;
}

class FileColumn final : public Column {
 public:
  FileColumn(std::vector<ColumnPiece> pieces, size_t stored_row_bytes,
             ColumnSchema schema, Convert convert)
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
    const size_t at_once = std::max<size_t>(1, kScratchBytes / stride);
    std::vector<uint8_t> scratch(std::min(count, at_once) * stride);
    for (size_t done = 0; done < count;) {
      const size_t rows = std::min(count - done, at_once);
      // Nothing need follow the last row.
      const size_t bytes = (rows - 1) * stride + stored_row_bytes_;
      RETURN_IF_ERROR(ReadExactly(fd.get(), piece.path,
                                  piece.offset + (from + done) * stride,
                                  scratch.data(), bytes));
      for (size_t r = 0; stride != stored_row_bytes_ && r < rows; ++r) {
        std::memmove(scratch.data() + r * stored_row_bytes_,
                     scratch.data() + r * stride, stored_row_bytes_);
      }
      RETURN_IF_ERROR(Put(scratch.data(), rows, begin + done, out));
      out += rows * schema().row_bytes();
      done += rows;
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
  const Convert convert_;  // null: equal types
  std::vector<int64_t> ends_;
};

absl::Status CheckLength(const ColumnPiece& piece, size_t row_bytes) {
  struct stat info;
  if (stat(piece.path.c_str(), &info) != 0) {
    return PathError(piece.path, "stat");
  }
  if (piece.num_rows == 0) return absl::OkStatus();
  const uint64_t stride = piece.stride == 0 ? row_bytes : piece.stride;
  const uint64_t end = piece.offset +
                       static_cast<uint64_t>(piece.num_rows - 1) * stride +
                       row_bytes;
  if (static_cast<uint64_t>(info.st_size) >= end) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(piece.path, " has ", info.st_size,
                                          " bytes; its ", piece.num_rows,
                                          " rows end at byte ", end));
}

// The type that a graph stores for a type of npy files.
absl::StatusOr<DType> StoredType(NpyType type, const std::string& path) {
  for (DType dtype : {DType::kUint8, DType::kInt8, DType::kInt16, DType::kInt32,
                      DType::kInt64, DType::kFloat16, DType::kBFloat16,
                      DType::kFloat32, DType::kFloat64, DType::kBool}) {
    if (NpyTypeOf(dtype) == type) return dtype;
  }
  if (type.kind == 'u') return DType::kInt64;
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
    RETURN_IF_ERROR(CheckLength(piece, row_bytes));
  }
  Convert convert = nullptr;
  // A file may have any byte where NumPy has a bool.
  const bool checked = schema.dtype == DType::kBool;
  if (checked || NpyTypeOf(schema.dtype) != stored) {
    convert = ConversionOf(stored, schema.dtype);
    if (convert == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(pieces.empty() ? "" : pieces.front().path, ": elements ",
                       stored.descr(), " cannot become ",
                       std::string(DTypeName(schema.dtype))));
    }
  }
  return std::make_shared<FileColumn>(std::move(pieces), row_bytes, schema,
                                      convert);
}

absl::StatusOr<ColumnPtr> OpenNpyColumn(const std::vector<std::string>& paths) {
  std::vector<FileArray> arrays;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(NpyHeader header, ReadNpyFileHeader(path));
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
                       " dimensions; allowed: [rows] and [rows, columns]"));
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
    pieces.push_back({path, header.data_offset, 0, header.shape[0], name});
  }
  ASSIGN_OR_RETURN(const DType dtype,
                   StoredType(first.header.type, first.path));
  const int64_t dim =
      first.header.shape.size() == 1 ? 0 : first.header.shape[1];
  return OpenFileColumn(std::move(pieces), first.header.type, {dtype, dim});
}

namespace {

// Whole numbers of another column, as int64.
class WidenedColumn final : public Column {
 public:
  WidenedColumn(ColumnPtr column, Convert convert)
      : Column({DType::kInt64, 0}, column->num_rows()),
        column_(std::move(column)),
        convert_(convert) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    const auto n = static_cast<size_t>(count);
    std::vector<uint8_t> rows(n * column_->schema().row_bytes());
    RETURN_IF_ERROR(column_->Read(begin, count, rows.data()));
    (void)convert_(rows.data(), n, out);  // int64 holds every value
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override { return column_->Where(row); }

 private:
  const ColumnPtr column_;
  const Convert convert_;
};

}  // namespace

absl::StatusOr<ColumnPtr> AsInt64(ColumnPtr column, const std::string& what) {
  const ColumnSchema schema = column->schema();
  const bool one = schema.dim == 0 || schema.dim == 1;
  if (one && schema.dtype == DType::kInt64 && schema.dim == 0) return column;
  const Convert convert = ConversionOf(NpyTypeOf(schema.dtype), DType::kInt64);
  const bool is_whole = convert != nullptr || schema.dtype == DType::kInt64;
  if (!one || !is_whole) {
    return absl::InvalidArgumentError(absl::StrCat(
        what, " is ", std::string(DTypeName(schema.dtype)), " of width ",
        schema.width(), "; allowed: one whole number a row"));
  }
  return std::make_shared<WidenedColumn>(
      std::move(column),
      convert != nullptr ? convert : ConvertValues<int64_t, int64_t>);
}

}  // namespace tributary
