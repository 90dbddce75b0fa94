// Bounds the plans that credits keep, queued or running.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_PLAN_HOLDS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_PLAN_HOLDS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/runtime/mutex.h"
#include "common/runtime/shared_budget.h"
#include "common/text/status.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// A credit keeps its session's plan even after the cache of sessions has
// evicted it, so a client that opens sessions and asks for a batch of each
// could make the server keep any number. Here a plan counts, once however many
// credits keep it, in the share of the caller that used it first. Thread-safe.
class PlanHolds {
 public:
  explicit PlanHolds(std::shared_ptr<SharedBudget> budget)
      : budget_(std::move(budget)) {}

  // Returns `plan`, which counts as long as any copy of the result lives.
  // RESOURCE_EXHAUSTED if `caller` (Caller::share_key) keeps its part already;
  // INVALID_ARGUMENT if the plan is larger than the budget.
  absl::StatusOr<std::shared_ptr<const SamplingPlan>> Hold(
      std::shared_ptr<const SamplingPlan> plan, const std::string& caller) {
    MutexLock lock(mutex_);
    std::weak_ptr<const Held>& known = held_[plan.get()];
    std::shared_ptr<const Held> held = known.lock();
    if (held == nullptr) {
      auto hold = budget_->Open(caller)->TryTake(plan->bytes());
      if (!hold.ok()) {
        held_.erase(plan.get());
        return hold.status();
      }
      held = std::make_shared<const Held>(Held{plan, *std::move(hold)});
      known = held;
      ForgetReleased();
    }
    return std::shared_ptr<const SamplingPlan>(held, plan.get());
  }

  const std::shared_ptr<SharedBudget>& budget() const { return budget_; }

 private:
  struct Held {
    std::shared_ptr<const SamplingPlan> plan;  // so that no other has its place
    BudgetShare::Hold hold;
  };

  void ForgetReleased() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (held_.size() < forget_at_) return;
    std::erase_if(held_,
                  [](const auto& entry) { return entry.second.expired(); });
    forget_at_ = 2 * held_.size() + 64;
  }

  const std::shared_ptr<SharedBudget> budget_;
  Mutex mutex_;
  std::map<const SamplingPlan*, std::weak_ptr<const Held>> held_
      ABSL_GUARDED_BY(mutex_);
  size_t forget_at_ ABSL_GUARDED_BY(mutex_) = 64;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_PLAN_HOLDS_H_
