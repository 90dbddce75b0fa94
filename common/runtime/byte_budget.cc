#include "common/runtime/byte_budget.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

Reservation::Reservation(Reservation&& other) noexcept
    : budget_(std::move(other.budget_)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Reservation& Reservation::operator=(Reservation&& other) noexcept {
  if (this == &other) return *this;
  Release();
  budget_ = std::move(other.budget_);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void Reservation::Release() {
  if (budget_ == nullptr) return;
  budget_->Return(std::exchange(bytes_, 0));
  budget_.reset();
}

void Reservation::ShrinkTo(size_t bytes) {
  if (budget_ == nullptr || bytes >= bytes_) return;
  budget_->Return(bytes_ - bytes);
  bytes_ = bytes;
}

std::shared_ptr<ByteBudget> ByteBudget::Create(std::string name, size_t limit) {
  return std::shared_ptr<ByteBudget>(new ByteBudget(std::move(name), limit));
}

absl::Status ByteBudget::CheckPossible(size_t bytes) const {
  if (bytes <= limit_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(bytes, " bytes can never fit in ", name_, " = ", limit_,
                   "; raise ", name_));
}

void ByteBudget::Take(size_t bytes) {
  used_ += bytes;
  peak_ = std::max(peak_, used_);
}

absl::StatusOr<Reservation> ByteBudget::TryReserve(size_t bytes) {
  RETURN_IF_ERROR(CheckPossible(bytes));
  MutexLock lock(mutex_);
  if (!waiters_.empty() || used_ + bytes > limit_) {
    return absl::ResourceExhaustedError(
        absl::StrCat(bytes, " bytes do not fit in ", name_, " now: ", used_,
                     " of ", limit_, " in use, ", waiters_.size(), " waiting"));
  }
  Take(bytes);
  return Reservation(shared_from_this(), bytes);
}

absl::StatusOr<ByteBudget::WaiterId> ByteBudget::Reserve(size_t bytes,
                                                         Executor* executor,
                                                         Granted granted) {
  RETURN_IF_ERROR(CheckPossible(bytes));
  WaiterId id = 0;
  {
    MutexLock lock(mutex_);
    id = next_id_++;
    waiters_.push_back({id, bytes, executor, std::move(granted)});
  }
  Return(0);  // serves the waiter now if there is room
  return id;
}

bool ByteBudget::Cancel(WaiterId id) {
  std::list<Waiter> dropped;  // destroyed outside the lock
  {
    MutexLock lock(mutex_);
    auto it = std::find_if(waiters_.begin(), waiters_.end(),
                           [id](const Waiter& w) { return w.id == id; });
    if (it == waiters_.end()) return false;
    dropped.splice(dropped.begin(), waiters_, it);
  }
  Return(0);  // waiters behind it may fit now
  return true;
}

void ByteBudget::Return(size_t bytes) {
  std::list<Waiter> served;
  {
    MutexLock lock(mutex_);
    used_ -= bytes;
    while (!waiters_.empty() && used_ + waiters_.front().bytes <= limit_) {
      Take(waiters_.front().bytes);
      served.splice(served.end(), waiters_, waiters_.begin());
    }
  }
  for (Waiter& waiter : served) {
    waiter.executor->Post([granted = std::move(waiter.granted),
                           reservation = Reservation(shared_from_this(),
                                                     waiter.bytes)]() mutable {
      granted(std::move(reservation));
    });
  }
}

size_t ByteBudget::used() const {
  MutexLock lock(mutex_);
  return used_;
}

size_t ByteBudget::peak() const {
  MutexLock lock(mutex_);
  return peak_;
}

}  // namespace tributary
