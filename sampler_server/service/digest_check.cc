#include "sampler_server/service/digest_check.h"

#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/sha256.h"

namespace tributary {
namespace {

absl::Status CheckDigest(std::string_view what, const Sha256Digest& ours,
                         const std::string& theirs) {
  if (theirs.size() != ours.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(what), " digest of ", theirs.size(),
                     " bytes; it has ", ours.size()));
  }
  if (std::memcmp(theirs.data(), ours.data(), ours.size()) == 0) {
    return absl::OkStatus();
  }
  Sha256Digest digest;
  std::memcpy(digest.data(), theirs.data(), digest.size());
  return absl::FailedPreconditionError(absl::StrCat(
      "the request is for a graph with ", std::string(what), " digest ",
      ToHex(digest), "; this server's graph has ", ToHex(ours)));
}
}  // namespace

absl::Status CheckLayoutDigest(const GraphSchema& schema,
                               const std::string& theirs) {
  return CheckDigest("layout", schema.layout_digest, theirs);
}

absl::Status CheckContentDigest(const GraphSchema& schema,
                                const std::string& theirs) {
  return CheckDigest("content", schema.content_digest, theirs);
}

}  // namespace tributary
