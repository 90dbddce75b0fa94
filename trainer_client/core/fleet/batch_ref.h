// Names a batch that a loader waits for.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_REF_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_REF_H_

#include <cstdint>

namespace tributary {

// A batch by its index, and the epoch by its generation: the number of the
// StartEpoch or Resume that it belongs to. Answers to an earlier generation are
// dropped, even where the epoch's number is the same.
struct BatchRef {
  uint64_t index = 0;
  uint64_t generation = 0;
  friend bool operator==(const BatchRef&, const BatchRef&) = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_BATCH_REF_H_
