// Opens the hot lists beside a graph.
#ifndef TRIBUTARY_PARTITION_FORMAT_HOT_LISTS_H_
#define TRIBUTARY_PARTITION_FORMAT_HOT_LISTS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/format/hot_list.h"
#include "partition/schema/schema.h"

namespace tributary {

// Returns the path of a list's folder, and the names of those that the graph in
// `folder` has, ascending. Errors of the file system.
std::string HotListFolder(const std::string& folder, const std::string& name);
absl::StatusOr<std::vector<std::string>> HotListNames(
    const std::string& folder);

// Maps the files of a list of the graph with this schema; with `verify` checks
// their CRC32Cs. FAILED_PRECONDITION, with what to do, for one of another graph
// or layout; DATA_LOSS, NOT_FOUND and others as ReadHotManifest and
// ArrayReader, naming the file; CANCELLED.
absl::StatusOr<std::shared_ptr<const HotList>> OpenHotList(
    const std::string& folder, const std::string& name,
    const GraphSchema& schema, bool verify,
    const std::function<bool()>& cancelled = [] { return false; });

// Opens all of them.
absl::StatusOr<HotLists> OpenHotLists(
    const std::string& folder, const GraphSchema& schema, bool verify,
    const std::function<bool()>& cancelled = [] { return false; });

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_HOT_LISTS_H_
