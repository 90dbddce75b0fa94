// Reads the files that both of OGB's layouts consist of: .csv.gz or .csv
// tables, counts, folders of splits.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_FILES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_FILES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/edge_split_input.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/writer/row_source.h"

namespace tributary {

// Returns the path of `stem`.csv.gz or `stem`.csv; empty if neither exists.
// INVALID_ARGUMENT if both exist.
absl::StatusOr<std::string> FindCsv(const std::string& stem);
// Like FindCsv; NOT_FOUND if neither exists.
absl::StatusOr<std::string> RequireCsv(const std::string& stem);

// Returns the only number in the file, which must exist.
absl::StatusOr<int64_t> ReadCount(const std::string& stem);

// One of the functions of csv_table.h that read a column.
using TableReader = absl::StatusOr<std::shared_ptr<const RowSource>> (*)(
    const std::string& path, int64_t num_rows);
// Reads a column; returns null if the file does not exist.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadOptional(
    const std::string& stem, int64_t num_rows, TableReader read);

// A file that the user names (InputOptions::edge_weight and the like).
struct NamedFile {
  const char* flag;  // "--edge-weight"
  std::optional<std::string> name;
  TableReader read;
};
NamedFile EdgeWeightFile(const InputOptions& options);
NamedFile EdgeTimeFile(const InputOptions& options);
NamedFile NodeTimeFile(const InputOptions& options);
std::vector<NamedFile> EdgeMaskFiles(const InputOptions& options);
// Returns the files of weights, times and masks that have a name.
std::vector<NamedFile> NamedFiles(const InputOptions& options);
// Checks that the names are file names without folder and suffix, and that
// those of masks are allowed as such.
absl::Status CheckNamedFiles(const InputOptions& options);
// Reads a named file; returns null if it has no name. NOT_FOUND if folder +
// name does not exist.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadNamed(
    const NamedFile& file, const std::string& folder, int64_t num_rows);

// Returns the split schemes below `folder`, which must include those of
// options.edge_splits.
absl::StatusOr<std::vector<std::string>> ListSchemes(
    const std::string& folder, const InputOptions& options);
// Returns whether the user has declared the scheme's numbers as rows of edges.
bool IsEdgeScheme(const InputOptions& options, const std::string& scheme);

// Returns the names of subfolders, ascending bytewise; none if `folder` does
// not exist.
absl::StatusOr<std::vector<std::string>> ListFolders(const std::string& folder);

// Reads folder/{test,train,valid}. Appends the paths of files with more than
// one column to `others`.
absl::StatusOr<std::vector<SplitContent>> ReadSplitFiles(
    const std::string& folder, const std::string& scheme,
    const NodeContent& nodes, std::vector<std::string>& others);

// Upper bounds for the numbers in a split of edges.
struct EdgeSplitLimits {
  int64_t src_nodes = 0, dst_nodes = 0, edges = 0;
};
// Reads folder/{test,train,valid}{,_neg}: files of two columns, which are pairs
// of nodes; with `rows` also files of one column, which are rows of the edge
// file.
absl::StatusOr<std::vector<EdgeSplitInput>> ReadEdgeSplitFiles(
    const std::string& folder, const std::string& scheme,
    const EdgeSplitLimits& limits, bool rows);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_FILES_H_
