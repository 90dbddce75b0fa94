// What both of OGB's layouts are made of: .csv.gz or .csv files, counts,
// folders of splits.
#ifndef TRIBUTARY_PARTITION_PIPELINE_OGB_FILES_H_
#define TRIBUTARY_PARTITION_PIPELINE_OGB_FILES_H_

#include <cstdint>
#include <memory>
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
