#include "partition/pipeline/inputs/dgl_chunked/chunk_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/arrays/placed_column.h"
#include "partition/pipeline/inputs/arrays/value_columns.h"
#include "partition/pipeline/inputs/parquet/parquet_table.h"
#include "partition/pipeline/inputs/tables/text_table.h"
#include "partition/pipeline/inputs/text/text_parts.h"
#include "partition/source/file_column.h"
#include "partition/source/npy_file.h"

namespace tributary {
namespace {

absl::Status ChunkError(const ChunkFiles& files, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(files.where, ": ", what));
}

// The names in the spool of both ends of edges.
std::string FromName(const std::string& name) { return name + "-from"; }
std::string ToName(const std::string& name) { return name + "-to"; }

// Returns the bytes of the narrowest column that a cell of csv makes.
size_t CellBytes(CellKind kind) {
  switch (kind) {
    case CellKind::kMask:
      return sizeof(uint8_t);
    case CellKind::kFloats:
    case CellKind::kLabels:
    case CellKind::kWeight:
      return sizeof(float);
    default:
      return sizeof(int64_t);
  }
}

// Gives values, as they are stored, the type and shape of their kind.
absl::StatusOr<ColumnPtr> Adapt(const ChunkFiles& files, CellKind kind,
                                ColumnPtr column) {
  const ColumnSchema schema = column->schema();
  switch (kind) {
    case CellKind::kFloats:
      return AsFeatures(std::move(column));
    case CellKind::kLabels:
      // Whole numbers of one column are int64, as csv has them.
      if (schema.dim > 1 || IsFloating(schema.dtype)) {
        return AsLabels(std::move(column));
      }
      return AsInt64(std::move(column), files.where);
    case CellKind::kWeight:
      return AsWeights(std::move(column), files.where);
    case CellKind::kMask:
      return AsMask(std::move(column), files.where);
    case CellKind::kTime:
      return AsTimes(std::move(column), files.where);
    default:
      return AsInt64(std::move(column), files.where);
  }
}

// Returns the first file whose rows are not those that `by_chunk` says; empty
// if it does not say it by file.
std::string FirstWrongFile(const std::vector<std::string>& paths,
                           const std::vector<int64_t>& by_chunk,
                           const Column& column) {
  if (by_chunk.size() != paths.size()) return "";
  int64_t begin = 0;
  for (size_t c = 0; c < paths.size(); ++c) {
    const int64_t end = begin + by_chunk[c];
    const auto in_file = [&](int64_t row) {
      return row < column.num_rows() &&
             absl::StartsWith(column.Where(row), paths[c]);
    };
    if (begin < end && !(in_file(begin) && in_file(end - 1))) return paths[c];
    if (in_file(end)) return paths[c];
    begin = end;
  }
  return "";
}

absl::Status CheckRows(const ChunkFiles& files,
                       const std::vector<std::string>& paths,
                       const ChunkCounts& counts, const Column& column) {
  if (column.num_rows() == counts.total) return absl::OkStatus();
  const std::string file = FirstWrongFile(paths, counts.by_chunk, column);
  return ChunkError(
      files,
      absl::StrCat(
          column.num_rows(), " rows in ", paths.size(),
          " files; allowed: ", counts.total, ", as the type's number says",
          file.empty() ? "" : "; the first file that differs is ", file));
}

absl::StatusOr<std::vector<ColumnPtr>> ReadText(
    const ChunkFiles& files, const std::vector<std::string>& paths,
    const std::vector<CellRequest>& wanted, const Spool& spool) {
  ASSIGN_OR_RETURN(
      const auto table,
      TextTable::Open(paths, {.delimiter = files.delimiter, .header = false}));
  std::vector<CellRequest> requests = wanted;
  const bool any_width = requests[0].kind == CellKind::kFloats ||
                         requests[0].kind == CellKind::kLabels;
  const auto columns = static_cast<size_t>(table->num_columns());
  if (!any_width && columns != requests.size()) {
    return ChunkError(files,
                      absl::StrCat(paths[0], " has ", columns,
                                   " columns; allowed: ", requests.size()));
  }
  for (int c = 0; any_width && c < table->num_columns(); ++c) {
    requests[0].columns.push_back(c);
  }
  return table->Read(requests, spool);
}

// The columns of Parquet files but those of indices, which pandas adds.
std::vector<int> DataColumns(const ParquetTable& table) {
  std::vector<int> columns;
  for (size_t c = 0; c < table.columns().size(); ++c) {
    if (absl::StartsWith(table.columns()[c].name, "__index_level_")) continue;
    columns.push_back(static_cast<int>(c));
  }
  return columns;
}

absl::StatusOr<ColumnPtr> FromParquet(
    const std::shared_ptr<const ParquetTable>& table,
    const std::vector<int>& columns, const Spool& spool,
    const std::string& name) {
  ASSIGN_OR_RETURN(ColumnPtr column, table->ToSpool(columns, spool, name));
  std::string of_column;  // of one; of several a row is named
  if (columns.size() == 1) {
    of_column = absl::StrCat(
        ", column ", table->columns()[static_cast<size_t>(columns[0])].name);
  }
  return std::make_shared<PlacedColumn>(
      std::move(column), [table, of_column](int64_t row) {
        return absl::StrCat(table->Where(row), of_column);
      });
}

absl::StatusOr<std::shared_ptr<const ParquetTable>> OpenParquet(
    const ChunkFiles& files, const std::vector<std::string>& paths,
    size_t columns) {
  ASSIGN_OR_RETURN(ParquetTable table, ParquetTable::Open(paths));
  const size_t found = DataColumns(table).size();
  if (found == 0 || (columns > 0 && found != columns)) {
    return ChunkError(
        files, absl::StrCat(paths[0], " has ", found, " columns; allowed: ",
                            columns > 0 ? absl::StrCat(columns) : "1 or more"));
  }
  return std::make_shared<const ParquetTable>(std::move(table));
}

// Whether the ends of an array are its rows [2, E], not its columns [E, 2].
absl::StatusOr<bool> EndsByRow(const ChunkFiles& files,
                               const FileArray& array) {
  const auto& shape = array.header.shape;
  if (shape.size() == 2 && shape[1] == 2) return false;
  if (shape.size() == 2 && shape[0] == 2) return true;
  return ChunkError(
      files, absl::StrCat(array.path, " is no array [edges, 2] or [2, edges]"));
}

absl::StatusOr<ChunkEnds> NpyEnds(const ChunkFiles& files,
                                  const std::vector<std::string>& paths) {
  std::vector<ColumnPiece> from;
  std::vector<ColumnPiece> to;
  NpyType type = kNpyInt64;
  for (size_t c = 0; c < paths.size(); ++c) {
    ASSIGN_OR_RETURN(const UserNpyHeader header,
                     ReadUserNpyFileHeader(paths[c]));
    if (c > 0 && header.type != type) {
      return ChunkError(
          files, absl::StrCat(paths[c], " has elements ", header.type.descr(),
                              "; ", paths[0], " ", type.descr()));
    }
    type = header.type;
    const FileArray array{paths[c], header, ""};
    ASSIGN_OR_RETURN(const bool by_row, EndsByRow(files, array));
    auto pieces = PairPieces(array, by_row);
    from.push_back(std::move(pieces.first));
    to.push_back(std::move(pieces.second));
  }
  ChunkEnds ends;
  ASSIGN_OR_RETURN(ends.from,
                   OpenFileColumn(std::move(from), type, {DType::kInt64, 0}));
  ASSIGN_OR_RETURN(ends.to,
                   OpenFileColumn(std::move(to), type, {DType::kInt64, 0}));
  return ends;
}

absl::Status CheckFiles(const ChunkFiles& files,
                        const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    struct stat info;
    if (stat(path.c_str(), &info) == 0) continue;
    return absl::ErrnoToStatus(errno, absl::StrCat(files.where, ": ", path));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::string> ChunkReader::Paths(const ChunkFiles& files) const {
  std::vector<std::string> paths;
  for (const std::string& path : files.paths) {
    // An absolute path stays as it is.
    paths.push_back(std::filesystem::path(folder_) / path);
  }
  return paths;
}

std::vector<ParsedPart> ChunkReader::ValueParts(const ChunkFiles& files,
                                                const ChunkCounts& counts,
                                                CellKind kind,
                                                const std::string& name) const {
  const std::vector<std::string> paths = Paths(files);
  if (files.format == ChunkFiles::Format::kCsv) {
    return TextParts(paths, counts.total, CellBytes(kind), files.delimiter);
  }
  if (files.format != ChunkFiles::Format::kParquet) return {};
  const auto table = ParquetTable::Open(paths);
  if (!table.ok()) return {};
  return {table->Part(DataColumns(*table), name)};
}

std::vector<ParsedPart> ChunkReader::EndParts(const ChunkFiles& files,
                                              const ChunkCounts& counts,
                                              const std::string& name) const {
  const std::vector<std::string> paths = Paths(files);
  if (files.format == ChunkFiles::Format::kCsv) {
    return TextParts(paths, counts.total, CellBytes(CellKind::kDenseId),
                     files.delimiter);
  }
  std::vector<ParsedPart> parts;
  if (paths.empty() || files.format != ChunkFiles::Format::kParquet) {
    return parts;
  }
  const auto table = ParquetTable::Open(paths);
  if (!table.ok() || DataColumns(*table).size() != 2) return parts;
  const std::vector<int> columns = DataColumns(*table);
  parts.push_back(table->Part({columns[0]}, FromName(name)));
  parts.push_back(table->Part({columns[1]}, ToName(name)));
  return parts;
}

absl::StatusOr<ColumnPtr> ChunkReader::Values(const ChunkFiles& files,
                                              const ChunkCounts& counts,
                                              CellKind kind,
                                              const std::string& name) const {
  const std::vector<std::string> paths = Paths(files);
  RETURN_IF_ERROR(CheckFiles(files, paths));
  ColumnPtr column;
  if (files.format == ChunkFiles::Format::kCsv) {
    const bool any_width =
        kind == CellKind::kFloats || kind == CellKind::kLabels;
    CellRequest request{
        kind, any_width ? std::vector<int>{} : std::vector<int>{0}, name};
    ASSIGN_OR_RETURN(const std::vector<ColumnPtr> columns,
                     ReadText(files, paths, {request}, spool_));
    column = columns[0];
  } else if (files.format == ChunkFiles::Format::kParquet) {
    ASSIGN_OR_RETURN(const auto table, OpenParquet(files, paths, 0));
    ASSIGN_OR_RETURN(column,
                     FromParquet(table, DataColumns(*table), spool_, name));
  } else {
    ASSIGN_OR_RETURN(column, OpenNpyColumn(paths));
  }
  RETURN_IF_ERROR(CheckRows(files, paths, counts, *column));
  return Adapt(files, kind, std::move(column));
}

absl::StatusOr<ChunkEnds> ChunkReader::Ends(const ChunkFiles& files,
                                            const ChunkCounts& counts,
                                            const std::string& name) const {
  const std::vector<std::string> paths = Paths(files);
  RETURN_IF_ERROR(CheckFiles(files, paths));
  const std::string from = FromName(name);
  const std::string to = ToName(name);
  ChunkEnds ends;
  if (paths.empty() || files.format == ChunkFiles::Format::kNumpy) {
    ASSIGN_OR_RETURN(ends, NpyEnds(files, paths));
  } else if (files.format == ChunkFiles::Format::kCsv) {
    ASSIGN_OR_RETURN(const std::vector<ColumnPtr> columns,
                     ReadText(files, paths,
                              {{CellKind::kDenseId, {0}, from},
                               {CellKind::kDenseId, {1}, to}},
                              spool_));
    ends = {columns[0], columns[1]};
  } else {
    ASSIGN_OR_RETURN(const auto table, OpenParquet(files, paths, 2));
    const std::vector<int> columns = DataColumns(*table);
    ASSIGN_OR_RETURN(ends.from, FromParquet(table, {columns[0]}, spool_, from));
    ASSIGN_OR_RETURN(ends.from, AsInt64(std::move(ends.from), files.where));
    ASSIGN_OR_RETURN(ends.to, FromParquet(table, {columns[1]}, spool_, to));
    ASSIGN_OR_RETURN(ends.to, AsInt64(std::move(ends.to), files.where));
  }
  RETURN_IF_ERROR(CheckRows(files, paths, counts, *ends.from));
  return ends;
}

}  // namespace tributary
