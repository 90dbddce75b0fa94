#include "common/random/purpose_key.h"

#include "common/hash/sha256.h"
#include "common/random/hop_key.h"

namespace tributary {

PhiloxKey MakePurposeKey(absl::string_view purpose, uint64_t random_seed) {
  Sha256 sha;
  sha.Update("tributary.");
  sha.Update(std::string_view(purpose.data(), purpose.size()));
  sha.UpdateU64(random_seed);
  return KeyFromDigest(sha.Finish());
}

}  // namespace tributary
