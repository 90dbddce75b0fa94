// A limit on bytes, or on places, that callers share without being able to
// take each other's part.
#ifndef TRIBUTARY_COMMON_RUNTIME_SHARED_BUDGET_H_
#define TRIBUTARY_COMMON_RUNTIME_SHARED_BUDGET_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/runtime/mutex.h"

namespace tributary {

class BudgetShare;

// Shares an amount by dynamic thresholds (Choudhury, Hahne: "Dynamic queue
// length thresholds", 1998): a caller holds no more than it leaves free, so one
// alone may hold half, the next one half of the rest, and whoever comes later
// finds something. A stream of a caller holds no more than a third of what it
// leaves free: a quarter, alone. A caller that holds nothing may take whatever
// is free, so that no amount up to the limit is impossible.
//
// Shares and holds keep it alive. Thread-safe.
class SharedBudget : public std::enable_shared_from_this<SharedBudget> {
 public:
  // `name` is the option that sets the limit, or what is counted; error
  // messages use it.
  static std::shared_ptr<SharedBudget> Create(std::string name, size_t limit);

  // Returns the share of one stream of `caller` (Caller::share_key), which
  // takes no more than `most` at one time.
  std::shared_ptr<BudgetShare> Open(
      const std::string& caller,
      size_t most = std::numeric_limits<size_t>::max());

  // Sets what runs, on any thread, after a stream was refused for want of
  // room; it must not block. Call it before the first share is opened.
  void SetOnRefused(std::function<void()> refused) {
    refused_ = std::move(refused);
  }

  const std::string& name() const { return name_; }
  size_t limit() const { return limit_; }
  size_t used() const;
  // The most that has been in use.
  size_t peak() const;
  // Returns what `caller` holds over all of its streams.
  size_t used_by(const std::string& caller) const;

 private:
  friend class BudgetShare;
  SharedBudget(std::string name, size_t limit)
      : name_(std::move(name)), limit_(limit) {}
  absl::Status Take(BudgetShare& stream, size_t amount);
  void Return(BudgetShare& stream, size_t amount);

  const std::string name_;
  const size_t limit_;
  std::function<void()> refused_;
  mutable Mutex mutex_;
  size_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t peak_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, size_t> by_caller_ ABSL_GUARDED_BY(mutex_);
};

// What one stream holds of a SharedBudget. Thread-safe; holds keep it alive.
class BudgetShare : public std::enable_shared_from_this<BudgetShare> {
 public:
  // An amount that returns to the budget on destruction. Move-only; not
  // thread-safe.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept
        : share_(std::move(other.share_)),
          amount_(std::exchange(other.amount_, 0)) {}
    Hold& operator=(Hold&& other) noexcept;
    ~Hold() { Release(); }

    size_t amount() const { return amount_; }
    void Release();
    // Returns all but `amount`. Requires amount <= amount().
    void ShrinkTo(size_t amount);

   private:
    friend class BudgetShare;
    Hold(std::shared_ptr<BudgetShare> share, size_t amount)
        : share_(std::move(share)), amount_(amount) {}
    std::shared_ptr<BudgetShare> share_;
    size_t amount_ = 0;
  };

  // Takes `amount` at once. RESOURCE_EXHAUSTED, to be tried again, if it is
  // not free now or the caller, or this stream, holds its part already;
  // INVALID_ARGUMENT if it exceeds the limit, or the most of a stream.
  absl::StatusOr<Hold> TryTake(size_t amount);

  SharedBudget& budget() const { return *budget_; }
  size_t used() const;

 private:
  friend class SharedBudget;
  BudgetShare(std::shared_ptr<SharedBudget> budget, std::string caller,
              size_t most)
      : budget_(std::move(budget)), caller_(std::move(caller)), most_(most) {}

  const std::shared_ptr<SharedBudget> budget_;
  const std::string caller_;
  const size_t most_;
  size_t used_ = 0;  // guarded by budget_->mutex_
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_SHARED_BUDGET_H_
