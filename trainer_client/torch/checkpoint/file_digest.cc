#include "trainer_client/torch/checkpoint/file_digest.h"

#include <unistd.h>

#include <cerrno>
#include <vector>

#include "common/io/file_mapping.h"
#include "common/io/path_error.h"
#include "common/io/unique_fd.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<FileDigest> DigestOfFile(const std::string& path) {
  constexpr size_t kPiece = size_t{1} << 20;
  ASSIGN_OR_RETURN(const int opened, OpenRegularFile(path));
  const UniqueFd fd(opened);
  std::vector<uint8_t> piece(kPiece);
  Sha256 hash;
  FileDigest digest;
  while (true) {
    const ssize_t n = read(fd.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return PathError(path, "read");
    if (n == 0) break;
    hash.Update(absl::MakeConstSpan(piece).first(static_cast<size_t>(n)));
    digest.bytes += static_cast<uint64_t>(n);
  }
  digest.sha256 = hash.Finish();
  return digest;
}

}  // namespace tributary
