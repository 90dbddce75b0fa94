// The epoch that a loader is in.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_EPOCH_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_EPOCH_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "common/batch/batch_key.h"
#include "trainer_client/core/fleet/batch_ref.h"
#include "trainer_client/core/session/epoch_order.h"
#include "trainer_client/core/session/loader_session.h"

namespace tributary {

// Knows which batches this rank takes, which of them comes next into the
// window, and which answers belong to an earlier epoch. Pure state; not
// thread-safe. `session` outlives it.
class LoaderEpoch {
 public:
  explicit LoaderEpoch(const LoaderSession* session) : session_(session) {}

  // Counts generations from `generation`. Comes before the first Begin.
  void CountFrom(uint64_t generation) { generation_ = generation; }
  // The cursor at the beginning of an epoch.
  Cursor CursorOf(uint64_t epoch) const;
  // FAILED_PRECONDITION, with both values: the cursor is of another order of
  // inputs. INVALID_ARGUMENT: it is beyond the inputs or the range of indices.
  absl::Status Check(const Cursor& cursor) const;
  // Goes on from the cursor. Requires Check(cursor).ok().
  void Begin(const Cursor& cursor);
  // Leaves out the batches outside of [from, to). FAILED_PRECONDITION: no epoch
  // was begun, or its batches are being requested. INVALID_ARGUMENT: no batch
  // would be left.
  absl::Status Limit(uint64_t from, uint64_t to);
  // From now on batches are requested.
  void MarkStarted() { started_ = true; }
  // Drops all answers to come.
  void Abort() { ++generation_; }

  bool started() const { return started_; }
  // Null before the first Begin. The object is never changed later.
  const std::shared_ptr<const EpochOrder>& order() const { return order_; }
  Cursor CursorAfter(uint64_t batches) const;

  // Whether TakeNext has more. Requires an epoch.
  bool HasNext() const { return next_nth_ < order_->BatchesOfRank(); }
  // Returns the next index of this rank, ascending. Requires HasNext().
  uint64_t TakeNext() { return order_->IndexOfRank(next_nth_++); }

  BatchRef RefOf(uint64_t index) const { return {index, generation_}; }
  // Whether the batch is not of an earlier generation.
  bool IsCurrent(const BatchRef& batch) const {
    return batch.generation == generation_;
  }
  // Requires an epoch.
  BatchKey KeyOf(uint64_t index) const {
    return {session_->identity, order_->epoch(), index};
  }

 private:
  const LoaderSession* const session_;
  std::shared_ptr<const EpochOrder> order_;
  uint64_t generation_ = 0;
  uint64_t next_nth_ = 0;  // among the batches of this rank
  bool started_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_LOADER_EPOCH_H_
