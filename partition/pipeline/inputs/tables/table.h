// A user's table of nodes or edges: text or Parquet files, one row each.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_TABLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// What the cells of a column are.
enum class CellKind {
  kFloats,    // float32 [rows, columns] in text, else as they are stored
  kLabels,    // int64 if all are whole, else float32; [rows] for one column
  kWeight,    // float32 if all are exact in it, else float64; finite, from 0
  kTime,      // int64
  kMask,      // bool
  kDenseId,   // int64 from 0
  kNumberId,  // texts of ids (id_text.h) that are whole numbers
  kTextId,    // texts of ids
  kSplit,     // texts: the name of a split, or nothing
};

// One column that is wanted of a table.
struct CellRequest {
  CellKind kind = CellKind::kFloats;
  std::vector<int> columns;  // one but for kFloats and kLabels
  std::string name;          // in the spool
};

// The files of one table, one after another, with the same columns.
class Table {
 public:
  virtual ~Table() = default;

  // Returns the indices of the columns that `names` name: a name of the header,
  // a number from 0, or the beginning of names and a '*'. INVALID_ARGUMENT
  // lists the columns there are.
  virtual absl::StatusOr<std::vector<int>> Find(
      const std::vector<std::string>& names) const = 0;
  // Returns the name of a column for messages.
  virtual std::string NameOf(int column) const = 0;
  virtual int num_columns() const = 0;
  // Returns what Read is going to parse for these requests.
  virtual std::vector<ParsedPart> Parts(
      absl::Span<const CellRequest> requests) const = 0;
  // Parses the requested columns into the spool, those that an earlier run has
  // left unfinished; returns them in the order of the requests. Rows are known
  // to the columns (Column::Where). INVALID_ARGUMENT with file, line or row,
  // column, what is wrong and what is allowed.
  virtual absl::StatusOr<std::vector<ColumnPtr>> Read(
      absl::Span<const CellRequest> requests, const Spool& spool) = 0;
  // Returns where a row is, for messages: "edges.csv line 8".
  virtual std::string Where(int64_t row) const = 0;
  virtual std::string path() const = 0;
  // What the table says about itself, for the user; empty: nothing.
  virtual std::string note() const { return ""; }
};

// How the files of a table are read.
struct TableOptions {
  std::optional<char> delimiter;  // by the suffix and the first line if not set
  std::optional<bool> header;     // by the first two lines if not set
  bool named_columns = false;     // columns are asked for by name
};

// Opens a table: Parquet files end in .parquet, all others are text, plain or
// gzip. Requires a path. INVALID_ARGUMENT if files have different columns;
// NOT_FOUND; DATA_LOSS.
absl::StatusOr<std::shared_ptr<Table>> OpenTable(
    const std::vector<std::string>& paths, const TableOptions& options);

// Returns whether a name is a column's number.
bool IsColumnNumber(const std::string& name);

// Finds columns as Table::Find does, among `names`, which are empty if the
// table has no header.
absl::StatusOr<std::vector<int>> FindColumns(
    const std::vector<std::string>& wanted,
    const std::vector<std::string>& names, int num_columns,
    const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_TABLE_H_
