#include "common/runtime/shared_budget.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

std::shared_ptr<SharedBudget> SharedBudget::Create(std::string name,
                                                   size_t limit) {
  return std::shared_ptr<SharedBudget>(
      new SharedBudget(std::move(name), limit));
}

std::shared_ptr<BudgetShare> SharedBudget::Open(const std::string& caller) {
  return std::shared_ptr<BudgetShare>(
      new BudgetShare(shared_from_this(), caller));
}

size_t SharedBudget::used() const {
  MutexLock lock(mutex_);
  return used_;
}

size_t SharedBudget::used_by(const std::string& caller) const {
  MutexLock lock(mutex_);
  const auto it = by_caller_.find(caller);
  return it == by_caller_.end() ? 0 : it->second;
}

absl::Status SharedBudget::Take(const std::string& caller, size_t& of_stream,
                                size_t amount) {
  if (amount > limit_) {
    return absl::InvalidArgumentError(absl::StrCat(
        amount, " are more than the limit of ", name_, ", ", limit_));
  }
  MutexLock lock(mutex_);
  const auto it = by_caller_.find(caller);
  const size_t of_caller = it == by_caller_.end() ? 0 : it->second;
  if (amount > limit_ - used_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name_, ": ", used_, " of ", limit_, " are in use, ",
                     amount, " more do not fit"));
  }
  const size_t left = limit_ - used_ - amount;
  if (of_caller > 0 && of_caller + amount > left) {
    return absl::ResourceExhaustedError(absl::StrCat(
        name_, ": ", caller, " holds ", of_caller,
        " already; it may hold no more than it leaves to others, ", left));
  }
  if (of_stream > 0 && of_stream + amount > left / 3) {
    return absl::ResourceExhaustedError(absl::StrCat(
        name_, ": this stream of ", caller, " holds ", of_stream,
        " already; it may hold a third of what it leaves to others, ",
        left / 3));
  }
  used_ += amount;
  of_stream += amount;
  by_caller_[caller] = of_caller + amount;
  return absl::OkStatus();
}

void SharedBudget::Return(const std::string& caller, size_t& of_stream,
                          size_t amount) {
  if (amount == 0) return;
  MutexLock lock(mutex_);
  used_ -= amount;
  of_stream -= amount;
  const auto it = by_caller_.find(caller);
  it->second -= amount;
  if (it->second == 0) by_caller_.erase(it);
}

absl::StatusOr<BudgetShare::Hold> BudgetShare::TryTake(size_t amount) {
  RETURN_IF_ERROR(budget_->Take(caller_, used_, amount));
  return Hold(shared_from_this(), amount);
}

size_t BudgetShare::used() const {
  MutexLock lock(budget_->mutex_);
  return used_;
}

BudgetShare::Hold& BudgetShare::Hold::operator=(Hold&& other) noexcept {
  if (this == &other) return *this;
  Release();
  share_ = std::move(other.share_);
  amount_ = std::exchange(other.amount_, 0);
  return *this;
}

void BudgetShare::Hold::Release() { ShrinkTo(0); }

void BudgetShare::Hold::ShrinkTo(size_t amount) {
  if (share_ == nullptr) return;
  share_->budget_->Return(share_->caller_, share_->used_, amount_ - amount);
  amount_ = amount;
  if (amount == 0) share_ = nullptr;
}

}  // namespace tributary
