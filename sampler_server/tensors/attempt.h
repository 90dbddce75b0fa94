// One run of a job over one graph, as a server that holds its rows sees it.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_ATTEMPT_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_ATTEMPT_H_

#include <atomic>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/placement/row_placement.h"
#include "common/runtime/activity.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"
#include "sampler_server/tensors/meetings.h"
#include "sampler_server/tensors/parked_calls.h"
#include "sampler_server/tensors/round_staging.h"
#include "sampler_server/tensors/tensor_table.h"
#include "sampler_server/tensors/write_log.h"

namespace tributary {

// The scope of an attempt: a job and a graph's content digest.
struct AttemptScope {
  std::string job;
  std::string graph;  // the digest's bytes
  friend auto operator<=>(const AttemptScope&, const AttemptScope&) = default;
};

struct AttemptOptions {
  AttemptScope scope;
  uint64_t number = 0;
  uint32_t world = 1;
  uint64_t opener = 0;                            // rank 0's client
  std::string caller;                             // rank 0's share_key
  std::vector<RowMember> members;                 // in rank 0's order
  std::shared_ptr<const RowPlacement> placement;  // over these
  uint32_t member = 0;      // this server's index in the placement
  size_t rank_staging = 0;  // bytes of gradients that a rank may stage
  // Counts the values of meetings; null counts nothing.
  std::shared_ptr<BudgetShare> share;
  BudgetShare::Hold memory;  // of BytesOf

  // Sets `placement`, which is over `members`, and `member` by this server's
  // index in these.
  void SetPlacement(RowPlacement made, uint32_t index);
  // Returns whether client, world and members are the same.
  bool SameAs(const AttemptOptions& other) const;
};

// Fences off the calls of earlier processes: an attempt that has ended applies
// nothing more, and each rank belongs to the first client that called for it.
// Create with std::make_shared. Thread-safe.
class Attempt : public std::enable_shared_from_this<Attempt> {
 public:
  // Keeps `pin`, which keeps the graph, until it ends.
  Attempt(AttemptOptions options, std::shared_ptr<const void> pin,
          Executor* executor);

  // Returns what an attempt of these options takes as long as it exists, with
  // all that its ranks may add but gradients and values of meetings.
  static size_t BytesOf(const AttemptOptions& options);

  const AttemptScope& scope() const { return options_.scope; }
  uint64_t number() const { return options_.number; }
  uint32_t world() const { return options_.world; }
  const AttemptOptions& options() const { return options_; }

  // Makes `client` the rank's, if it has none. INVALID_ARGUMENT for a rank
  // beyond the world; FAILED_PRECONDITION if the rank is another client's.
  absl::Status Admit(uint32_t rank, uint64_t client);

  // Returns a hold on the attempt for work that may take several steps: as long
  // as one is held no later attempt begins. FAILED_PRECONDITION, naming the
  // reason, once it has ended.
  absl::StatusOr<std::shared_ptr<const void>> Begin();
  // Runs `work` under such a hold; returns its status.
  absl::Status WhileOpen(absl::FunctionRef<absl::Status()> work);
  // Returns why it has ended: work that may be left undone looks at each step.
  absl::Status ended() const;
  // Fails what is parked and what comes later. Once no work is held any more,
  // inside this call or where the last hold is let go, drops gradients, values
  // and tables, and runs `over`.
  void End(const absl::Status& why, absl::AnyInvocable<void()> over);

  // The tensors that this attempt has created or found.
  void Put(const std::string& name, std::shared_ptr<TensorTable> table);
  void Remove(const std::string& name);
  // NOT_FOUND, naming the tensor.
  absl::StatusOr<std::shared_ptr<TensorTable>> Find(
      const std::string& name) const;

  // The log of a rank that was admitted.
  WriteLog& log(uint32_t rank);
  Meetings& meetings() { return meetings_; }
  RoundStaging& rounds() { return rounds_; }
  // Waits for rounds to be applied.
  ParkedCalls& applied() { return *applied_; }
  // Returns the number of the round that is open, as tables keep it.
  uint32_t open_round() const {
    return static_cast<uint32_t>(rounds_.applied() + 1);
  }

  // Counts a stream that uses the attempt until the result is destroyed. When
  // none is left, `unused` runs, unless the attempt has ended, or it has run
  // already and Idle has not found a stream since.
  std::shared_ptr<const void> Use(
      std::function<void(std::shared_ptr<Attempt>)> unused);
  // Returns for how long no stream has used it; nothing if one does, and then
  // `unused` runs again when none is left.
  std::optional<absl::Duration> Idle();

  // Keeps `hold` until the attempt ends; the first one counts.
  void HoldServer(std::shared_ptr<const void> hold);

 private:
  // Lets go of what an attempt keeps until it is over.
  void Release();

  const AttemptOptions options_;
  Executor* const executor_;
  const std::shared_ptr<Activity> work_ = std::make_shared<Activity>();
  mutable Mutex mutex_;
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);
  std::map<uint32_t, uint64_t> clients_ ABSL_GUARDED_BY(mutex_);  // by rank
  std::map<uint32_t, std::unique_ptr<WriteLog>> logs_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<TensorTable>> tables_
      ABSL_GUARDED_BY(mutex_);
  uint64_t users_ ABSL_GUARDED_BY(mutex_) = 0;
  bool told_unused_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Time unused_since_ ABSL_GUARDED_BY(mutex_);  // if users_ is 0
  std::shared_ptr<const void> pin_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const void> server_hold_ ABSL_GUARDED_BY(mutex_);
  Meetings meetings_;
  RoundStaging rounds_;
  const std::shared_ptr<ParkedCalls> applied_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_ATTEMPT_H_
