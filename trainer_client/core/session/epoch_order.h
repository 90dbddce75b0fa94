// The inputs that each batch of an epoch takes: arithmetic on a cursor, without
// I/O.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_EPOCH_ORDER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_EPOCH_ORDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "common/random/permutation.h"
#include "common/random/philox.h"
#include "common/random/weighted_order.h"
#include "trainer_client/core/session/cursor.h"

namespace tributary {

// The values that determine the order of every epoch of a session.
struct EpochOrderOptions {
  uint64_t num_inputs = 0;
  uint64_t batch_size = 1;  // >= 1
  uint64_t random_seed = 0;
  bool shuffle = true;  // false: the input list's own order
  // If set, an epoch has num_inputs draws by weight instead of each input once.
  std::shared_ptr<const WeightedOrder> weighted;
  bool drop_last = false;  // the short batch at the end is left out
  uint32_t rank = 0;       // < world
  uint32_t world = 1;
};

// The batches of one epoch. Batch g in [begin_index(), end_index()) takes the
// inputs p[c + (g - g0) * batch_size ..), where p is the epoch's order and
// (c, g0) the cursor; rank r takes the g with (g - begin) mod world == r.
// Immutable except for Limit; const methods are thread-safe.
class EpochOrder {
 public:
  // Requires cursor.consumed <= options.num_inputs.
  EpochOrder(const EpochOrderOptions& options, const Cursor& cursor);

  uint64_t epoch() const { return start_.epoch; }
  uint64_t begin_index() const { return begin_; }
  uint64_t end_index() const { return end_; }

  // Restricts the epoch to its batches in [from, to). Ranks are counted from
  // the first of these.
  void Limit(uint64_t from, uint64_t to);

  // Returns the number of inputs of a batch; 0 outside [begin_index(),
  // end_index()).
  uint64_t InputsInBatch(uint64_t index) const;
  // Returns the indices of a batch's inputs in the list of inputs. Requires
  // begin_index() <= index < end_index().
  std::vector<uint64_t> InputNumbers(uint64_t index) const;

  // Returns how many batches this rank takes ...
  uint64_t BatchesOfRank() const;
  // ... and the index of the nth of them.
  uint64_t IndexOfRank(uint64_t nth) const {
    return begin_ + options_.rank + nth * options_.world;
  }

  // Returns the cursor after each rank has taken `batches` of its own.
  Cursor CursorAfter(uint64_t batches) const;

  // Returns the number of batches of a whole epoch.
  static uint64_t NumBatches(uint64_t num_inputs, uint64_t batch_size,
                             bool drop_last);

 private:
  uint64_t PositionOf(uint64_t index) const {
    return start_.consumed + (index - start_.next_index) * options_.batch_size;
  }

  uint64_t NumberAt(uint64_t position) const {
    return options_.weighted == nullptr ? permutation_[position]
                                        : options_.weighted->At(key_, position);
  }

  EpochOrderOptions options_;
  Cursor start_;
  PhiloxKey key_;
  uint64_t begin_;
  uint64_t end_;
  Permutation permutation_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_EPOCH_ORDER_H_
