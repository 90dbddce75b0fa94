// Meetings of all ranks of an attempt: barriers and allgathers.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_MEETINGS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_MEETINGS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"
#include "sampler_server/tensors/parked_calls.h"

namespace tributary {

// Each rank brings a value to meetings 1, 2, ... in turn, and gets those of all
// ranks when the last one has come. Keeps the values of the running meeting and
// of the last one, so that a rank whose answer was lost asks again. They count
// in the attempt's share of memory. Thread-safe.
class Meetings {
  struct Brought {
    std::string value;
    BudgetShare::Hold memory;
  };

 public:
  // Limits of one value, and of the values of all ranks.
  static constexpr size_t kMaxValueBytes = size_t{64} << 10;
  static constexpr size_t kMaxAnswerBytes = size_t{960} << 10;
  static constexpr size_t kMaxPurposeBytes = size_t{4} << 10;

  struct Visit {
    uint32_t rank = 0;
    uint64_t sequence = 0;
    std::string purpose;
    std::string value;
    absl::Time deadline;
    CancelToken cancel;
  };
  // The values by rank.
  using Values = std::shared_ptr<const std::vector<std::string>>;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Values>)>;

  // Values are counted in `share`; null counts nothing.
  Meetings(uint32_t world, Executor* executor,
           std::shared_ptr<BudgetShare> share);

  // What the object keeps for each rank from the start, without the values that
  // ranks bring.
  static size_t BytesOfRank() {
    return sizeof(std::optional<Brought>) + sizeof(Brought);
  }

  // Calls `done` on the executor when all ranks have come. A rank may come
  // again to the running meeting, with the same value, and to the last one.
  // Errors: DEADLINE_EXCEEDED names the ranks that are missing (this one counts
  // as come, and may ask again); INVALID_ARGUMENT for a value or purpose that
  // is too long, a value that differs from its first one, and, for all that
  // wait, if ranks come for different purposes; FAILED_PRECONDITION for any
  // other sequence number; RESOURCE_EXHAUSTED if the value does not fit the
  // share; that of End.
  void Meet(Visit visit, Done done);

  // Ends all waits, and later ones, with `why`, and drops the values.
  void End(const absl::Status& why);

 private:
  // Returns whether the meeting is now complete.
  absl::StatusOr<bool> Come(const Visit& visit);
  absl::Status CheckSizes(const Visit& visit) const;
  absl::Status CheckSequence(const Visit& visit) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Drops the values of the running meeting.
  void Disband() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes the values of the running meeting, which is then over.
  void Conclude() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Missing(uint64_t sequence, const std::string& purpose) const;
  absl::StatusOr<Values> AnswerOf(uint64_t sequence) const;

  const uint32_t world_;
  const std::shared_ptr<BudgetShare> share_;
  mutable Mutex mutex_;
  uint64_t held_ ABSL_GUARDED_BY(mutex_) = 0;  // meetings that are over
  Values last_ ABSL_GUARDED_BY(mutex_);
  std::string last_purpose_ ABSL_GUARDED_BY(mutex_);
  std::string purpose_ ABSL_GUARDED_BY(mutex_);  // of the running meeting
  uint32_t first_rank_ ABSL_GUARDED_BY(mutex_) = 0;
  uint32_t come_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::optional<Brought>> values_ ABSL_GUARDED_BY(mutex_);
  const std::shared_ptr<ParkedCalls> parked_;  // until held_
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_MEETINGS_H_
