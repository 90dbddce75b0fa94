// Gives a finished folder its name.
#ifndef TRIBUTARY_COMMON_IO_RENAME_FOLDER_H_
#define TRIBUTARY_COMMON_IO_RENAME_FOLDER_H_

#include <string>

#include "absl/status/status.h"

namespace tributary {

// Renames a folder, on the same file system. ALREADY_EXISTS if `to` exists.
absl::Status RenameNoReplace(const std::string& from, const std::string& to);

// Exchanges the names of two folders on the same file system, in one step.
// UNIMPLEMENTED if the file system cannot; else the system's error.
absl::Status ExchangeNames(const std::string& a, const std::string& b);

// Flushes a file's data, or a folder's entries, to the disk.
absl::Status SyncToDisk(const std::string& path);

// Flushes all files and folders below `root`, and itself, several at a time.
// Returns one of the errors, which names the file.
absl::Status SyncTree(const std::string& root);

// Returns the folder that a path is in.
std::string ParentFolderOf(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_RENAME_FOLDER_H_
