// Reads the files that both of OGB's layouts consist of: .csv.gz or .csv
// tables, counts, folders of splits.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_FILES_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/inputs/options/input_options.h"
#include "partition/pipeline/inputs/text/csv_rows.h"
#include "partition/source/graph_source.h"
#include "partition/source/spool.h"

namespace tributary {

// Returns whether the path exists, as a file or anything else; opening it
// reports the difference.
absl::StatusOr<bool> IsThere(const std::string& path);

// Returns the path of `stem`.csv.gz or `stem`.csv; empty if neither exists.
// INVALID_ARGUMENT if both exist.
absl::StatusOr<std::string> FindCsv(const std::string& stem);
// Like FindCsv; NOT_FOUND if neither exists.
absl::StatusOr<std::string> RequireCsv(const std::string& stem);

// Returns the only number in the file, which must exist.
absl::StatusOr<int64_t> ReadCount(const std::string& stem);

// One of the functions of csv_column.h that read a column.
using TableReader = absl::StatusOr<ColumnPtr> (*)(const std::string& path,
                                                  const RowCount& num_rows,
                                                  const Spool& spool);
// Reads a column; returns null if the file does not exist.
absl::StatusOr<ColumnPtr> ReadOptional(const std::string& stem,
                                       const RowCount& num_rows,
                                       TableReader read, const Spool& spool);

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
absl::StatusOr<ColumnPtr> ReadNamed(const NamedFile& file,
                                    const std::string& folder,
                                    const RowCount& num_rows,
                                    const Spool& spool);

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
absl::StatusOr<std::vector<SplitSource>> ReadSplitFiles(
    const std::string& folder, const std::string& scheme,
    const NodeSource& nodes, std::vector<std::string>& others);

// The edge type that splits are of, and upper bounds for their numbers.
struct EdgeSplitType {
  std::string name;  // "src,rel,dst"
  int64_t src_nodes = 0, dst_nodes = 0, edges = 0;
};
// Reads folder/{test,train,valid}{,_neg}: files of two columns, which are pairs
// of nodes; with `rows` also files of one column, which are rows of the edge
// file.
absl::StatusOr<std::vector<SplitSource>> ReadEdgeSplitFiles(
    const std::string& folder, const std::string& scheme,
    const EdgeSplitType& type, bool rows);

// Reads split/<scheme> of all schemes of a homogeneous graph, in the order of
// GraphSource. INVALID_ARGUMENT for a scheme that has pickles only.
absl::StatusOr<std::vector<SplitSource>> ReadSplits(const InputOptions& options,
                                                    const NodeSource& nodes,
                                                    int64_t num_edges);

// Puts splits into the order of GraphSource.
void SortSplits(std::vector<SplitSource>& splits);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_OGB_FILES_H_
