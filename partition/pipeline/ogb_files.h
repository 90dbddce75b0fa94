// What both of OGB's layouts are made of: .csv.gz or .csv files, counts,
// folders of splits.
#ifndef TRIBUTARY_PARTITION_PIPELINE_OGB_FILES_H_
#define TRIBUTARY_PARTITION_PIPELINE_OGB_FILES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/format/row_source.h"
#include "partition/pipeline/input.h"

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
  const std::optional<std::string>& name;
  TableReader read;
};
NamedFile EdgeWeightFile(const InputOptions& options);
NamedFile EdgeTimeFile(const InputOptions& options);
NamedFile NodeTimeFile(const InputOptions& options);
// What `flag` names is a file's name without folder and suffix, or nothing.
absl::Status CheckNamedFile(const NamedFile& file);
// Null when there is no name; NOT_FOUND when folder + name is not there.
absl::StatusOr<std::shared_ptr<const RowSource>> ReadNamed(
    const NamedFile& file, const std::string& folder, int64_t num_rows);

// The schemes of splits below `folder` but those of options.edge_splits, of
// which there must be each; they leave a note.
absl::StatusOr<std::vector<std::string>> ListSchemes(
    const std::string& folder, const InputOptions& options, Input& input);

// The folders right below, names ascending bytewise; none without `folder`.
absl::StatusOr<std::vector<std::string>> ListFolders(const std::string& folder);

// Appends folder/{test,train,valid} to the splits of `input`; those of more
// than one column, splits of edges, leave a note instead. Returns how many
// files there are.
absl::StatusOr<int> ReadSplitFiles(const std::string& folder,
                                   const std::string& scheme,
                                   const NodeContent& nodes, Input& input);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_OGB_FILES_H_
