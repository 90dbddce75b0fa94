#include "partition/pipeline/inputs/parquet/parquet_table.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/pipeline/inputs/parquet/parquet_frames.h"
#include "partition/pipeline/inputs/parquet/parquet_program.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxSchemaText = size_t{256} << 20;

// What one line of `tributary-parquet schema` says.
struct FileSchemaLine {
  int64_t rows = 0;
  std::string shape;
  std::vector<ParquetColumn> columns;
};

absl::Status OtherVersionError() {
  return absl::InternalError(
      "tributary-parquet is of another version than this program");
}

absl::StatusOr<ParquetColumn> ParseColumn(const Json& json) {
  if (!json.is_object() || !json.contains("name") || !json.contains("type") ||
      !json.contains("dim") || !json["name"].is_string() ||
      !json["type"].is_string() || !json["dim"].is_number_integer()) {
    return OtherVersionError();
  }
  ParquetColumn column;
  column.name = json["name"];
  column.schema.dim = json["dim"];
  column.is_text = json["type"] == kParquetText;
  if (!column.is_text) {
    ASSIGN_OR_RETURN(column.schema.dtype,
                     DTypeFromName(json["type"].get<std::string>()));
  }
  return column;
}

absl::StatusOr<FileSchemaLine> ParseLine(absl::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return OtherVersionError();
  if (json.contains("error")) {
    if (!json["error"].is_string() || !json.contains("code") ||
        !json["code"].is_number_integer()) {
      return OtherVersionError();
    }
    return absl::Status(static_cast<absl::StatusCode>(json["code"].get<int>()),
                        json["error"].get<std::string>());
  }
  if (!json.contains("rows") || !json["rows"].is_number_integer() ||
      !json.contains("shape") || !json["shape"].is_string() ||
      !json.contains("columns") || !json["columns"].is_array()) {
    return OtherVersionError();
  }
  FileSchemaLine line{.rows = json["rows"], .shape = json["shape"]};
  for (const Json& column : json["columns"]) {
    ASSIGN_OR_RETURN(ParquetColumn parsed, ParseColumn(column));
    line.columns.push_back(std::move(parsed));
  }
  return line;
}

// Takes the columns of another file. Lists of a file without rows have no
// length: they have that of the others.
absl::Status Join(const std::string& path, const std::string& first_path,
                  const std::vector<ParquetColumn>& file,
                  std::vector<ParquetColumn>& columns) {
  if (file.size() != columns.size()) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has ", file.size(),
                                                   " columns; ", first_path,
                                                   " has ", columns.size()));
  }
  for (size_t c = 0; c < file.size(); ++c) {
    ParquetColumn& known = columns[c];
    ParquetColumn other = file[c];
    if (other.schema.dim < 0) other.schema.dim = known.schema.dim;
    if (known.schema.dim < 0) known.schema.dim = other.schema.dim;
    if (other == known) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": column ", c, ", \"", other.name,
                     "\", has another name, type or width than \"", known.name,
                     "\" of ", first_path));
  }
  return absl::OkStatus();
}

// Reads the blocks of some columns.
class BlockReader {
 public:
  BlockReader(ParquetProgram& program, std::vector<ParquetColumn> columns)
      : program_(program),
        columns_(std::move(columns)),
        bytes_(columns_.size()) {
    block_.values.resize(columns_.size());
    block_.texts.resize(columns_.size());
  }

  // Reads the next block; one of 0 rows is the end.
  absl::Status Next() {
    block_.first_row += block_.num_rows;
    ASSIGN_OR_RETURN(const uint32_t rows, ReadU32());
    if (rows == kParquetError) return ReadError();
    if (rows > kParquetBlockRows) return OtherVersionError();
    block_.num_rows = rows;
    for (size_t c = 0; rows > 0 && c < columns_.size(); ++c) {
      RETURN_IF_ERROR(columns_[c].is_text ? ReadTexts(c) : ReadValues(c));
    }
    return absl::OkStatus();
  }
  const ParquetBlock& block() const { return block_; }

 private:
  absl::StatusOr<uint32_t> ReadU32() {
    uint32_t value = 0;
    RETURN_IF_ERROR(program_.Read(&value, sizeof(value)));
    return value;
  }

  absl::Status ReadError() {
    ASSIGN_OR_RETURN(const uint32_t code, ReadU32());
    ASSIGN_OR_RETURN(const uint32_t length, ReadU32());
    if (length > kParquetMaxMessage) return OtherVersionError();
    std::string message(length, '\0');
    RETURN_IF_ERROR(program_.Read(message.data(), length));
    return absl::Status(static_cast<absl::StatusCode>(code), message);
  }

  absl::Status ReadValues(size_t c) {
    bytes_[c].resize(static_cast<size_t>(block_.num_rows) *
                     columns_[c].row_bytes());
    RETURN_IF_ERROR(program_.Read(bytes_[c].data(), bytes_[c].size()));
    block_.values[c] = bytes_[c];
    return absl::OkStatus();
  }

  absl::Status ReadTexts(size_t c) {
    lengths_.resize(static_cast<size_t>(block_.num_rows));
    RETURN_IF_ERROR(program_.Read(lengths_.data(), lengths_.size() * 4));
    uint64_t total = 0;
    for (const uint32_t length : lengths_) total += length;
    if (total > kParquetBlockBytes + kParquetMaxText)
      return OtherVersionError();
    bytes_[c].resize(total);
    RETURN_IF_ERROR(program_.Read(bytes_[c].data(), total));
    const auto* at = reinterpret_cast<const char*>(bytes_[c].data());
    block_.texts[c].clear();
    for (const uint32_t length : lengths_) {
      block_.texts[c].emplace_back(at, length);
      at += length;
    }
    return absl::OkStatus();
  }

  ParquetProgram& program_;
  const std::vector<ParquetColumn> columns_;
  std::vector<std::vector<uint8_t>> bytes_;  // by column
  std::vector<uint32_t> lengths_;
  ParquetBlock block_;
};

// Puts the values of all columns of a row beside each other.
void Interleave(const ParquetBlock& block, size_t row_bytes,
                std::vector<uint8_t>& out) {
  const size_t columns = block.values.size();
  const auto rows = static_cast<size_t>(block.num_rows);
  out.resize(rows * columns * row_bytes);
  for (size_t c = 0; c < columns; ++c) {
    const uint8_t* from = block.values[c].data();
    uint8_t* to = out.data() + c * row_bytes;
    for (size_t r = 0; r < rows; ++r) {
      std::memcpy(to, from, row_bytes);
      from += row_bytes;
      to += columns * row_bytes;
    }
  }
}

}  // namespace

absl::StatusOr<ParquetTable> ParquetTable::Open(
    std::vector<std::string> paths) {
  std::vector<std::string> arguments = {"schema"};
  for (const std::string& path : paths) {
    struct stat info;
    if (stat(path.c_str(), &info) != 0) return PathError(path, "open");
    arguments.push_back(path);
  }
  ASSIGN_OR_RETURN(ParquetProgram program,
                   ParquetProgram::Start(std::move(arguments)));
  ASSIGN_OR_RETURN(const std::string text, program.ReadAll(kMaxSchemaText));
  const std::vector<absl::string_view> lines =
      absl::StrSplit(text, '\n', absl::SkipEmpty());
  ParquetTable table;
  for (const absl::string_view line : lines) {
    ASSIGN_OR_RETURN(FileSchemaLine file, ParseLine(line));
    if (table.file_rows_.size() == paths.size()) return OtherVersionError();
    if (table.file_rows_.empty()) {
      table.columns_ = std::move(file.columns);
      table.shape_ = std::move(file.shape);
    } else {
      RETURN_IF_ERROR(Join(paths[table.file_rows_.size()], paths[0],
                           file.columns, table.columns_));
    }
    table.file_rows_.push_back(file.rows);
  }
  if (table.file_rows_.size() != paths.size()) {
    char none;
    RETURN_IF_ERROR(program.Read(&none, 1));
  }
  for (ParquetColumn& column : table.columns_) {
    column.schema.dim = std::max<int64_t>(column.schema.dim, 0);
  }
  table.paths_ = std::move(paths);
  return table;
}

absl::StatusOr<int> ParquetTable::Find(absl::string_view name) const {
  std::vector<std::string> names;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].name == name) return static_cast<int>(c);
    names.push_back(columns_[c].name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(paths_[0], " has no column \"", name,
                   "\"; allowed: ", absl::StrJoin(names, ", ")));
}

int64_t ParquetTable::num_rows() const {
  int64_t rows = 0;
  for (const int64_t n : file_rows_) rows += n;
  return rows;
}

std::string ParquetTable::Where(int64_t row) const {
  for (size_t f = 0; f < paths_.size(); ++f) {
    if (row < file_rows_[f]) return absl::StrCat(paths_[f], ", row ", row);
    row -= file_rows_[f];
  }
  return absl::StrCat("row ", row);
}

absl::Status ParquetTable::ForEachBlock(
    const std::vector<int>& columns,
    absl::FunctionRef<absl::Status(const ParquetBlock&)> use) const {
  std::vector<std::string> arguments = {"rows", absl::StrJoin(columns, ",")};
  arguments.insert(arguments.end(), paths_.begin(), paths_.end());
  std::vector<ParquetColumn> chosen;
  for (const int c : columns) {
    chosen.push_back(columns_[static_cast<size_t>(c)]);
  }
  ASSIGN_OR_RETURN(ParquetProgram program,
                   ParquetProgram::Start(std::move(arguments)));
  BlockReader blocks(program, std::move(chosen));
  int64_t rows = 0;
  for (;;) {
    RETURN_IF_ERROR(blocks.Next());
    const ParquetBlock& block = blocks.block();
    if (block.num_rows == 0) break;
    rows += block.num_rows;
    if (rows > num_rows()) break;
    RETURN_IF_ERROR(use(block));
  }
  if (rows == num_rows()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      paths_[0], paths_.size() > 1 ? " and the others have " : " has ", rows,
      " rows; ", num_rows(), " when it was opened"));
}

ParsedPart ParquetTable::Part(const std::vector<int>& columns,
                              const std::string& name) const {
  ParsedPart part{name, PartBytes(columns, num_rows()), 0};
  for (const int c : columns) {
    const ParquetColumn& column = columns_[static_cast<size_t>(c)];
    // Each text has its length before it (id_text.h).
    const size_t bytes = column.is_text ? sizeof(uint16_t) : column.row_bytes();
    part.least_column_bytes += static_cast<uint64_t>(num_rows()) * bytes;
  }
  return part;
}

int64_t ParquetTable::PartBytes(const std::vector<int>& columns,
                                int64_t end) const {
  constexpr size_t kTextBytes = 16;  // about
  size_t bytes = 0;
  for (const int c : columns) {
    const ParquetColumn& column = columns_[static_cast<size_t>(c)];
    bytes += column.is_text ? kTextBytes : column.row_bytes();
  }
  return end * static_cast<int64_t>(bytes);
}

absl::StatusOr<ColumnPtr> ParquetTable::ToSpool(const std::vector<int>& columns,
                                                const Spool& spool,
                                                const std::string& name) const {
  ASSIGN_OR_RETURN(ColumnPtr finished, spool.Find(name));
  if (finished != nullptr) {
    spool.Advance(name, InputProgress::kAll);
    return finished;
  }
  const ParquetColumn& first = columns_[static_cast<size_t>(columns.at(0))];
  for (const int c : columns) {
    const ParquetColumn& column = columns_[static_cast<size_t>(c)];
    if (column.is_text || column.schema != first.schema ||
        (columns.size() > 1 && column.schema.dim > 0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          paths_[0], ": column \"", column.name,
          column.is_text ? "\" holds texts" : "\" differs from ",
          column.is_text ? "" : absl::StrCat("\"", first.name, "\""),
          "; allowed: numbers of one type, one of them per row and column, or "
          "one column of lists"));
    }
  }
  ColumnSchema schema = first.schema;
  if (columns.size() > 1) schema.dim = static_cast<int64_t>(columns.size());
  ASSIGN_OR_RETURN(SpoolWriter writer, spool.Create(name, schema));
  std::vector<uint8_t> rows;
  RETURN_IF_ERROR(ForEachBlock(columns, [&](const ParquetBlock& block) {
    spool.Advance(name, PartBytes(columns, block.first_row + block.num_rows));
    if (columns.size() == 1) return writer.Append(block.values[0]);
    Interleave(block, first.row_bytes(), rows);
    return writer.Append(rows);
  }));
  return writer.Finish();
}

}  // namespace tributary
