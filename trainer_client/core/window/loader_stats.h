// Counters of a loader since its creation.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_STATS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_STATS_H_

#include <cstdint>

#include "absl/time/time.h"

namespace tributary {

struct LoaderStats {
  uint64_t batches = 0;     // delivered
  uint64_t inputs = 0;      // of the delivered batches
  uint64_t bytes = 0;       // of the delivered batches' rooms
  uint64_t left_out = 0;    // of these: rows that are held, so not sent
  uint64_t compact = 0;     // of these: that compact edges did without
  uint64_t reassigned = 0;  // requested again, elsewhere if possible
  uint64_t hedged = 0;      // among these: late, not lost
  uint64_t needs = 0;       // batches larger than their credit
  uint64_t evicted = 0;     // given up for a lower index, requested again
  uint64_t doubles = 0;     // batches that arrived again and were dropped
  absl::Duration waited;    // by Next(), for batches that had not arrived
  // The share of the last minute in which Next() waited so, from 0 to 1; since
  // the first Next(), if that is less. Near 1 the servers or the network are
  // the limit, near 0 the trainer is.
  double wait_ratio = 0;

  // Returns the bytes of the delivered batches that servers have sent.
  uint64_t wire_bytes() const { return bytes - left_out - compact; }
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_STATS_H_
