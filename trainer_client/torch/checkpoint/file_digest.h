// The size and SHA-256 of a file on the disk.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_FILE_DIGEST_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_FILE_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "common/hash/sha256.h"

namespace tributary {

struct FileDigest {
  uint64_t bytes = 0;
  Sha256Digest sha256{};
};

// Reads the regular file `path` in pieces. Errors name the path.
absl::StatusOr<FileDigest> DigestOfFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_CHECKPOINT_FILE_DIGEST_H_
