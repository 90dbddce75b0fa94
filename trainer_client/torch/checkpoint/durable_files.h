// Changes of files and folders that survive a crash, one at a time.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_DURABLE_FILES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_DURABLE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Each change passes the fault point "checkpoint.disk" first, where a test ends
// the program as a crash would. Errors name the path.

// Creates a folder, whose parent exists.
absl::Status CreateFolder(const std::string& path);
// Writes the pieces, one after the other, to a new file and flushes it.
absl::Status WriteNewFile(const std::string& path,
                          absl::Span<const absl::Span<const uint8_t>> pieces);
// Flushes a file or folder to the disk.
absl::Status SyncPath(const std::string& path);
// Renames a file or folder. A file at `to` is replaced; a folder is not.
absl::Status RenamePath(const std::string& from, const std::string& to);
// Renames `from` to `to`, where a folder may be, which gets the name `from`.
// Both happen at once, unless the file system cannot: then neither is at `to`
// for a moment.
absl::Status ExchangeFolders(const std::string& from, const std::string& to);
// Removes a file, or a folder with all that is in it. OK if there is none.
absl::Status RemoveTree(const std::string& path);

// Returns the names of what is in a folder, sorted.
absl::StatusOr<std::vector<std::string>> ListFolder(const std::string& path);
// Returns the folder of `path`: "." if it names none.
std::string ParentFolder(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_DURABLE_FILES_H_
