// Opens the hot lists beside a graph.
#ifndef TRIBUTARY_PARTITION_FORMAT_HOT_LISTS_H_
#define TRIBUTARY_PARTITION_FORMAT_HOT_LISTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/format/hot_list.h"
#include "partition/format/hot_manifest.h"
#include "partition/schema/schema.h"

namespace tributary {

// Checks the name of a list: 1 to 64 letters, digits, '_', '-' and, but at its
// beginning, '.'; without ".tmp-", which folders that are being written have.
// INVALID_ARGUMENT says what is wrong.
absl::Status CheckHotListName(absl::string_view name);
// Returns the path of a list's folder.
std::string HotListFolder(const std::string& folder, const std::string& name);
// Returns the names of the lists that the graph in `folder` has, ascending:
// folders with such names. Errors of the file system.
absl::StatusOr<std::vector<std::string>> HotListNames(
    const std::string& folder);

// Returns whether lists have the rows of the type: it has x or y, and from 1 to
// 2^32 - 2 nodes. And whether they have those of any type.
bool IsListed(const NodeTypeSchema& type);
bool HasListedTypes(const GraphSchema& schema);

// Reads files.json of a list of the graph with this schema.
// FAILED_PRECONDITION, with what to do, if it belongs to another layout; other
// errors as HotListFiles::FromJson and ReadFile.
absl::StatusOr<HotListFiles> ReadHotListFiles(const std::string& folder,
                                              const std::string& name,
                                              const GraphSchema& schema);

// Maps the files of a list of the graph with this schema; with `verify` checks
// their CRC32Cs, and that each block has its digest. list.json and the digests
// of blocks are compared with the digests in any case; that an order is a
// permutation is not checked. FAILED_PRECONDITION, with what to do, for one of
// another content or layout; DATA_LOSS and NOT_FOUND, naming the file;
// CANCELLED.
absl::StatusOr<std::shared_ptr<const HotList>> OpenHotList(
    const std::string& folder, const std::string& name,
    const GraphSchema& schema, bool verify,
    const std::function<bool()>& cancelled = [] { return false; });

// Opens all of them, by name. `verify` is that of OpenOptions.
absl::StatusOr<HotLists> OpenHotLists(
    const std::string& folder, const GraphSchema& schema, bool verify,
    const std::function<bool()>& cancelled = [] { return false; });

// Returns "NAME=DIGEST,NAME=DIGEST" of the lists of the graph in `folder`,
// ascending by name, or kNoHotLists if there are none: the SHA-256, in
// hexadecimal, of a list's files.json, which changes with every byte of it.
// Errors as HotListNames and ReadFile.
absl::StatusOr<std::string> HotListDigestsOf(const std::string& folder);
inline constexpr char kNoHotLists[] = "none";

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_HOT_LISTS_H_
