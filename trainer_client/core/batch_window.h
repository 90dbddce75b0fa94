// The batches between those already delivered and those not yet asked for.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_WINDOW_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_WINDOW_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/batch/batch_view.h"
#include "common/fleet/address.h"
#include "trainer_client/core/fleet/death_record.h"
#include "trainer_client/core/fleet/receive_slot.h"

namespace tributary {

struct PendingBatch {
  enum class State {
    kWanted,  // to be asked for; an earlier request may still be answered
    kAsked,
    kReady,   // `slot` and `view`
    kFailed,  // `error` is delivered in its place
  };
  uint64_t index = 0;
  State state = State::kWanted;
  uint64_t needed = 0;  // bytes, once a server has said; else 0
  uint64_t wanted = 0;  // bytes to ask for then, where they can be had
  bool hedged = false;  // late: asked for elsewhere too, once
  int tries = 0;        // answers in a row that were no batch
  absl::Time not_before = absl::InfinitePast();
  std::optional<Address> avoid;  // where it failed last
  absl::Status error;            // kFailed; else the last trouble
  DeathRecord deaths;
  std::shared_ptr<ReceiveSlot> slot;
  std::optional<BatchView> view;
};

// In ascending index; the first is delivered next. Not thread-safe.
class BatchWindow {
 public:
  void Add(uint64_t index) {
    entries_.emplace_back();
    entries_.back().index = index;
  }
  void PopFront() { entries_.pop_front(); }
  void Clear() { entries_.clear(); }

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  PendingBatch& front() { return entries_.front(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

  // Null when it is not in the window.
  PendingBatch* Find(uint64_t index);
  // Gives up the highest ready batch above `index`, which is wanted again:
  // false when there is none.
  bool EvictAbove(uint64_t index);
  // Whether there is something to wait for.
  bool AnyUnfinished() const;

 private:
  std::deque<PendingBatch> entries_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_WINDOW_H_
