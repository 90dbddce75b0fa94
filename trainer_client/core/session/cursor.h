// The position in an epoch: all that a checkpoint stores of a loader.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_CURSOR_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_CURSOR_H_

#include <cstdint>

#include "common/hash/sha256.h"

namespace tributary {

// The values that determine the order of a session's epochs. World and batch
// size are not among them.
struct OrderIdentity {
  Sha256Digest inputs{};  // digest of the inputs, with their times and weights
  Sha256Digest graph{};   // digest of the graph's content
  uint64_t random_seed = 0;
  bool shuffle = true;
  bool drop_last = false;
  // If the list of inputs is one rank's own (own_inputs): which rank's, in a
  // world of how many. 0 of 0: the list is that of all ranks.
  uint32_t own_rank = 0;
  uint32_t own_world = 0;
  friend bool operator==(const OrderIdentity&, const OrderIdentity&) = default;
};

// A position in an epoch. Batch g >= next_index takes the positions from
// consumed + (g - next_index) * batch_size on of the epoch's order. So world
// and batch size may change between two runs: each input is still taken once,
// and no index is used twice.
struct Cursor {
  uint64_t epoch = 0;
  uint64_t consumed = 0;    // inputs taken by finished optimizer steps
  uint64_t next_index = 0;  // first batch index after them
  OrderIdentity order;      // which must be the same
  friend bool operator==(const Cursor&, const Cursor&) = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_CURSOR_H_
