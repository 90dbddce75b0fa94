// Philox keys for data made outside of sessions: placements and generated
// graphs.
#ifndef TRIBUTARY_COMMON_RANDOM_PURPOSE_KEY_H_
#define TRIBUTARY_COMMON_RANDOM_PURPOSE_KEY_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/random/philox.h"

namespace tributary {

// Returns the first two words of SHA-256("tributary." | purpose | u64 random
// seed), as docs/graph-format.md defines. Purposes: "partition,<node type>",
// "rmat,edges", "rmat,ids", "rmat,labels", "rmat,features", "rmat,splits".
PhiloxKey MakePurposeKey(absl::string_view purpose, uint64_t random_seed);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_PURPOSE_KEY_H_
