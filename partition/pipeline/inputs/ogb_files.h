// What both of OGB's layouts are made of: .csv.gz or .csv files, counts,
// folders of splits.
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

// The path of `stem`.csv.gz or `stem`.csv; empty when there is neither.
// INVALID_ARGUMENT when there are both.
absl::StatusOr<std::string> FindCsv(const std::string& stem);
// NOT_FOUND when there is neither.
absl::StatusOr<std::string> RequireCsv(const std::string& stem);

// The only number in the file, which must be there.
absl::StatusOr<int64_t> ReadCount(const std::string& stem);

using TableReader = absl::StatusOr<std::shared_ptr<const RowSource>> (*)(
    const std::string& path, int64_t num_rows);
// Null when the file is not there.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadOptional(
    const std::string& stem, int64_t num_rows, TableReader read);

// A file of the user's naming (InputOptions::edge_weight and the like).
struct NamedFile {
  const char* flag;  // "--edge-weight"
  std::optional<std::string> name;
  TableReader read;
};
NamedFile EdgeWeightFile(const InputOptions& options);
NamedFile EdgeTimeFile(const InputOptions& options);
NamedFile NodeTimeFile(const InputOptions& options);
std::vector<NamedFile> EdgeMaskFiles(const InputOptions& options);
// Weights, times and masks that have a name.
std::vector<NamedFile> NamedFiles(const InputOptions& options);
// What flags name are files' names without folder and suffix, and masks'.
absl::Status CheckNamedFiles(const InputOptions& options);
// Null when there is no name; NOT_FOUND when folder + name is not there.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadNamed(
    const NamedFile& file, const std::string& folder, int64_t num_rows);

// The schemes of splits below `folder`, among which those of
// options.edge_splits must be.
absl::StatusOr<std::vector<std::string>> ListSchemes(
    const std::string& folder, const InputOptions& options);
// Whether the user has said that the scheme's numbers are rows of edges.
bool IsEdgeScheme(const InputOptions& options, const std::string& scheme);

// The folders right below, names ascending bytewise; none without `folder`.
absl::StatusOr<std::vector<std::string>> ListFolders(const std::string& folder);

// folder/{test,train,valid}; paths of those of more than one column go to
// `others`.
absl::StatusOr<std::vector<SplitContent>> ReadSplitFiles(
    const std::string& folder, const std::string& scheme,
    const NodeContent& nodes, std::vector<std::string>& others);

// What the numbers of a split of edges are below.
struct EdgeSplitLimits {
  int64_t src_nodes = 0, dst_nodes = 0, edges = 0;
};
// folder/{test,train,valid}{,_neg}: those of two columns, pairs of nodes; with
// `rows` also those of one, rows of the edge file.
absl::StatusOr<std::vector<EdgeSplitInput>> ReadEdgeSplitFiles(
    const std::string& folder, const std::string& scheme,
    const EdgeSplitLimits& limits, bool rows);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_OGB_FILES_H_
