// Counters of a loader since its creation.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_LOADER_STATS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_LOADER_STATS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace tributary {

struct LoaderStats {
  uint64_t batches = 0;  // delivered
  uint64_t inputs = 0;
  uint64_t bytes = 0;       // of delivered rooms
  uint64_t reassigned = 0;  // asked for again elsewhere
  uint64_t hedged = 0;      // of them, late and not lost
  uint64_t needs = 0;       // larger than their first credit
  uint64_t evicted = 0;     // given up for a lower index, asked for again
  uint64_t doubles = 0;     // arrived again and dropped
  absl::Duration waited;    // of Next(), for batches not yet there
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_LOADER_STATS_H_
