// Writes NumPy arrays as the columns of a Parquet file:
//   npy_to_parquet FILE.parquet ROW_GROUP NAME=FILE.npy [NAME=FILE.npy]...
// ROW_GROUP is the number of rows of a row group. An array [rows] is the column
// NAME, an array [rows, C] the columns NAME0 to NAME<C - 1>. Values are int64,
// float32, float64 or bool.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/parquet/testing/parquet_writer.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Returns column `c` of `columns` in the row-major values at `data`. Values are
// stored as `Stored`.
template <typename T, typename Stored = T>
WrittenColumn ColumnOf(std::string name, const uint8_t* data, int64_t rows,
                       int64_t columns, int64_t c) {
  std::vector<T> values;
  for (int64_t r = 0; r < rows; ++r) {
    Stored value;
    std::memcpy(&value, data + (r * columns + c) * sizeof(Stored),
                sizeof(Stored));
    values.push_back(static_cast<T>(value));
  }
  return {std::move(name), std::move(values)};
}

absl::Status AddColumns(const std::string& name, const std::string& path,
                        std::vector<WrittenColumn>& columns) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  ASSIGN_OR_RETURN(const NpyHeader header,
                   ParseNpyHeader({bytes, text.size()}));
  if (header.shape.empty() || header.shape.size() > 2 ||
      header.data_offset + header.data_bytes() != text.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, "; allowed: a whole array of one or two dimensions"));
  }
  const bool flat = header.shape.size() == 1;
  const int64_t rows = header.shape[0], width = flat ? 1 : header.shape[1];
  const uint8_t* data = bytes + header.data_offset;
  for (int64_t c = 0; c < width; ++c) {
    const std::string column = flat ? name : absl::StrCat(name, c);
    if (header.type == NpyType{'i', 8}) {
      columns.push_back(ColumnOf<int64_t>(column, data, rows, width, c));
    } else if (header.type == NpyType{'f', 4}) {
      columns.push_back(ColumnOf<float>(column, data, rows, width, c));
    } else if (header.type == NpyType{'f', 8}) {
      columns.push_back(ColumnOf<double>(column, data, rows, width, c));
    } else if (header.type == NpyType{'b', 1}) {
      columns.push_back(ColumnOf<bool, uint8_t>(column, data, rows, width, c));
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat(path, " has ", header.type.descr(),
                       "; allowed: int64, float32, float64, bool"));
    }
  }
  return absl::OkStatus();
}

absl::Status Run(int argc, char** argv) {
  if (argc < 4) {
    return absl::InvalidArgumentError(
        "allowed: FILE.parquet ROW_GROUP NAME=FILE.npy ...");
  }
  ParquetFileOptions options;
  if (!absl::SimpleAtoi(argv[2], &options.row_group) || options.row_group < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("ROW_GROUP ", argv[2], "; allowed: at least 1"));
  }
  std::vector<WrittenColumn> columns;
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat(argument, "; allowed: NAME=FILE.npy"));
    }
    RETURN_IF_ERROR(AddColumns(argument.substr(0, equals),
                               argument.substr(equals + 1), columns));
  }
  return WriteParquet(argv[1], columns, options);
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  const absl::Status status = tributary::Run(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "npy_to_parquet: %s\n", status.ToString().c_str());
  return 1;
}
