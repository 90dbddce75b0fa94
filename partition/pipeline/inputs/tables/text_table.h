// Tables in delimited text files: csv, tsv, and lists of edges by blanks.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_TEXT_TABLE_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_TEXT_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/pipeline/inputs/tables/row_splitter.h"
#include "partition/pipeline/inputs/tables/table.h"
#include "partition/pipeline/inputs/text/line_reader.h"

namespace tributary {

// Lines that begin with '#' at the top of a file are comments, as in SNAP's
// lists. Every file of a table has a header, or none. Requested columns are
// parsed in one pass.
class TextTable final : public Table,
                        public std::enable_shared_from_this<TextTable> {
 public:
  // Decides on delimiter and header by the first file: the delimiter is ',' for
  // .csv and a tab for .tsv; for other names a tab, ',', ';', '|' or blanks,
  // the first of these that the first line has. Without an instruction the
  // first line is a header if columns are asked for by name, if it has words
  // that ends are usually called by (src, dst, source, ...), or if it has no
  // number and the second line has one.
  static absl::StatusOr<std::shared_ptr<TextTable>> Open(
      std::vector<std::string> paths, const TableOptions& options);

  absl::StatusOr<std::vector<int>> Find(
      const std::vector<std::string>& names) const override;
  std::string NameOf(int column) const override;
  int num_columns() const override { return num_columns_; }
  // Columns take at least a third of the bytes of ids, times and names, and a
  // seventh of those of other numbers, by their share of the first rows.
  std::vector<ParsedPart> Parts(
      absl::Span<const CellRequest> requests) const override;
  absl::StatusOr<std::vector<ColumnPtr>> Read(
      absl::Span<const CellRequest> requests, const Spool& spool) override;
  // Counts lines of the files, if nothing has been read yet.
  std::string Where(int64_t row) const override;
  std::string path() const override { return paths_[0]; }
  std::string note() const override { return note_; }

 private:
  using Cells = absl::Span<const absl::string_view>;
  // Calls use(in, cells) for each row of a file.
  using UseRow = absl::FunctionRef<absl::Status(const LineReader&, Cells)>;

  explicit TextTable(std::vector<std::string> paths)
      : paths_(std::move(paths)) {}
  absl::Status DecideByFirstLines(const TableOptions& options);
  absl::Status ForEachRow(const std::string& path, InputProgress* progress,
                          bool keep_blank_end, UseRow use) const;
  // Returns how many bytes of columns a byte of text makes at least.
  double LeastColumnBytes(absl::Span<const CellRequest> requests) const;
  // Skips comments and the header, and returns whether there is a first row.
  absl::StatusOr<bool> SkipHeader(LineReader& in, RowSplitter& splitter,
                                  absl::string_view* first) const;

  const std::vector<std::string> paths_;
  char delimiter_ = ',';
  bool header_ = false;
  std::vector<std::string> names_;  // of the header
  int num_columns_ = 0;
  std::string note_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TABLES_TEXT_TABLE_H_
