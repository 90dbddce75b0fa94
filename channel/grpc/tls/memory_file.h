// A file in memory that is replaced at once while others read it by its path.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_MEMORY_FILE_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_MEMORY_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/io/unique_fd.h"

namespace tributary {

// Keeps what gRPC wants to read from a path, such as a private key, off every
// disk. A reader of path() sees one whole text, the old or the new one. Not
// thread-safe; readers of the path need no lock.
class MemoryFile {
 public:
  // The path is valid in this process once Replace has returned OK.
  std::string path() const;
  // Returns an error of the system, such as RESOURCE_EXHAUSTED without
  // descriptors; then the old text stays.
  absl::Status Replace(absl::string_view text);

 private:
  UniqueFd fd_;
  int replaced_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_MEMORY_FILE_H_
