// The batches that a loader has under way.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_WINDOW_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_WINDOW_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "trainer_client/core/window/pending_batch.h"

namespace tributary {

// Holds the batches from the one that is delivered next to the last one that
// may be requested, in ascending index. Not thread-safe.
class BatchWindow {
 public:
  // Requires an index above all others.
  void Add(uint64_t index) { entries_.emplace_back(index); }
  void PopFront() { entries_.pop_front(); }
  void Clear() { entries_.clear(); }

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  // The batch that is delivered next.
  PendingBatch& front() { return entries_.front(); }
  const PendingBatch& front() const { return entries_.front(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

  // Returns null if it is not in the window.
  PendingBatch* Find(uint64_t index);
  // Evicts the highest ready batch above `index`. Returns false if there is
  // none.
  bool EvictAbove(uint64_t index);
  // Whether any batch is neither ready nor failed.
  bool AnyUnfinished() const;

 private:
  std::deque<PendingBatch> entries_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_WINDOW_H_
