#include "common/runtime/shared_budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

std::shared_ptr<SharedBudget> SharedBudget::Create(std::string name,
                                                   size_t limit) {
  return std::shared_ptr<SharedBudget>(
      new SharedBudget(std::move(name), limit));
}

std::shared_ptr<BudgetShare> SharedBudget::Open(const std::string& caller,
                                                size_t most) {
  return std::shared_ptr<BudgetShare>(
      new BudgetShare(shared_from_this(), caller, most));
}

size_t SharedBudget::used() const {
  MutexLock lock(mutex_);
  return used_;
}

size_t SharedBudget::peak() const {
  MutexLock lock(mutex_);
  return peak_;
}

size_t SharedBudget::used_by(const std::string& caller) const {
  MutexLock lock(mutex_);
  const auto it = by_caller_.find(caller);
  return it == by_caller_.end() ? 0 : it->second;
}

absl::Status SharedBudget::Take(BudgetShare& stream, size_t amount) {
  if (amount > limit_) {
    return absl::InvalidArgumentError(absl::StrCat(
        amount, " are more than the limit of ", name_, ", ", limit_));
  }
  if (amount > stream.most_) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a call of ", amount, " bytes; one stream's share of the ", name_,
        " is ", stream.most_, " bytes: ask for fewer rows"));
  }
  MutexLock lock(mutex_);
  const auto it = by_caller_.find(stream.caller_);
  const size_t of_caller = it == by_caller_.end() ? 0 : it->second;
  if (amount > limit_ - used_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(name_, ": ", used_, " of ", limit_, " are in use, ",
                     amount, " more do not fit"));
  }
  const size_t left = limit_ - used_ - amount;
  if (of_caller > 0 && of_caller + amount > left) {
    return absl::ResourceExhaustedError(absl::StrCat(
        name_, ": ", stream.caller_, " holds ", of_caller,
        " already; it may hold no more than it leaves to others, ", left));
  }
  const size_t of_stream = stream.used_;
  const size_t most = std::min(left / 3, stream.most_);
  if (of_stream > 0 && of_stream + amount > most) {
    return absl::ResourceExhaustedError(absl::StrCat(
        name_, ": this stream of ", stream.caller_, " holds ", of_stream,
        " already; it may hold a third of what it leaves to others, ", most));
  }
  used_ += amount;
  peak_ = std::max(peak_, used_);
  stream.used_ += amount;
  by_caller_[stream.caller_] = of_caller + amount;
  return absl::OkStatus();
}

void SharedBudget::Return(BudgetShare& stream, size_t amount) {
  if (amount == 0) return;
  MutexLock lock(mutex_);
  used_ -= amount;
  stream.used_ -= amount;
  const auto it = by_caller_.find(stream.caller_);
  it->second -= amount;
  if (it->second == 0) by_caller_.erase(it);
}

absl::StatusOr<BudgetShare::Hold> BudgetShare::TryTake(size_t amount) {
  const absl::Status taken = budget_->Take(*this, amount);
  if (absl::IsResourceExhausted(taken) && budget_->refused_) {
    budget_->refused_();
  }
  RETURN_IF_ERROR(taken);
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
  share_->budget_->Return(*share_, amount_ - amount);
  amount_ = amount;
  if (amount == 0) share_ = nullptr;
}

}  // namespace tributary
