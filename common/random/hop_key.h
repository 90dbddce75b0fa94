// Philox keys of a session: one for each purpose, batch, hop and type. All
// random numbers of a batch derive from them.
#ifndef TRIBUTARY_COMMON_RANDOM_HOP_KEY_H_
#define TRIBUTARY_COMMON_RANDOM_HOP_KEY_H_

#include <cstdint>
#include <string_view>

#include "common/hash/sha256.h"
#include "common/random/philox.h"

namespace tributary {

// Incremented when a draw, an id, an order or a digest of docs/sampling.md
// changes.
inline constexpr uint32_t kSemanticsVersion = 1;

// The use of the random numbers. The values are part of the format.
enum class Purpose : uint32_t {
  kOrder = 1,
  kNeighbors = 2,
  kNegatives = 3,
  kWalks = 4,
  kLabor = 5,
  kLayerWise = 6,
};

// The values that a key is derived from.
struct HopKeyParts {
  uint64_t random_seed = 0;
  uint64_t epoch = 0;
  uint64_t batch = 0;
  Purpose purpose = Purpose::kNeighbors;
  uint32_t hop = 0;
  std::string_view type_name;  // "src,rel,dst"; or empty
};

// Returns the key made of the first two little-endian words of a digest.
PhiloxKey KeyFromDigest(const Sha256Digest& digest);

// Returns the first two words of the SHA-256 that docs/sampling.md defines.
PhiloxKey MakeHopKey(const HopKeyParts& parts);

// Returns the key of an epoch's order: purpose kOrder, batch 0, hop 0, no type
// name.
PhiloxKey MakeOrderKey(uint64_t random_seed, uint64_t epoch);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_HOP_KEY_H_
