#include "partition/pipeline/inputs/ogb/expected_tables.h"

#include <iterator>

#include "absl/algorithm/container.h"
#include "partition/pipeline/inputs/csv/csv_column.h"
#include "partition/pipeline/inputs/text/text_parts.h"

namespace tributary {
namespace {

// Returns the bytes of the narrowest column that `read` makes of a cell.
size_t CellBytes(TableReader read) {
  if (read == ReadMaskTable) return sizeof(uint8_t);
  if (read == ReadTimeTable) return sizeof(int64_t);
  return sizeof(float);
}

}  // namespace

void ExpectedTables::AddTable(const std::string& stem, int64_t rows,
                              size_t cell_bytes) {
  const auto path = FindCsv(stem);
  if (!path.ok() || path->empty()) return;
  absl::c_move(TextParts({*path}, rows, cell_bytes),
               std::back_inserter(parts_));
}

void ExpectedTables::Add(const std::string& stem, int64_t rows,
                         TableReader read) {
  AddTable(stem, rows, CellBytes(read));
}

void ExpectedTables::AddNamed(const NamedFile& file, const std::string& folder,
                              int64_t rows) {
  if (file.name.has_value()) Add(folder + *file.name, rows, file.read);
}

void ExpectedTables::AddIds(const std::string& stem, int64_t rows) {
  AddTable(stem, rows, sizeof(int64_t));
}

void ExpectedTables::AddEdges(const std::string& folder, int64_t rows,
                              const InputOptions& options) {
  AddIds(folder + "edge", rows);
  Add(folder + "edge-feat", rows, ReadFloatTable);
  AddNamed(EdgeWeightFile(options), folder, rows);
  AddNamed(EdgeTimeFile(options), folder, rows);
  for (const NamedFile& mask : EdgeMaskFiles(options)) {
    AddNamed(mask, folder, rows);
  }
}

}  // namespace tributary
