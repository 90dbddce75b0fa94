// A bound on bytes in use, handed out as reservations.
#ifndef TRIBUTARY_COMMON_RUNTIME_BYTE_BUDGET_H_
#define TRIBUTARY_COMMON_RUNTIME_BYTE_BUDGET_H_

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

class ByteBudget;

// Bytes taken from a ByteBudget, given back by the destructor. Move-only.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation() { Release(); }

  size_t bytes() const { return bytes_; }
  // Gives all back now.
  void Release();
  // Gives back all but `bytes`. Requires bytes <= bytes().
  void ShrinkTo(size_t bytes);

 private:
  friend class ByteBudget;
  Reservation(std::shared_ptr<ByteBudget> budget, size_t bytes)
      : budget_(std::move(budget)), bytes_(bytes) {}
  std::shared_ptr<ByteBudget> budget_;
  size_t bytes_ = 0;
};

// Thread-safe. Waiters are served first come, first served: a large one is not
// overtaken by small ones, so none starves. Made by Create(); reservations keep
// it alive.
class ByteBudget : public std::enable_shared_from_this<ByteBudget> {
 public:
  using Granted = absl::AnyInvocable<void(Reservation)>;
  using WaiterId = uint64_t;  // 0 names none

  // `name` is the option that sets the limit, as messages should call it.
  static std::shared_ptr<ByteBudget> Create(std::string name, size_t limit);

  // RESOURCE_EXHAUSTED when it does not fit now or others wait for room;
  // INVALID_ARGUMENT, naming the option to raise, when it can never fit.
  absl::StatusOr<Reservation> TryReserve(size_t bytes);

  // Calls `granted`, on `executor`, once the bytes are there. The id cancels
  // the wait. INVALID_ARGUMENT, at once, when it can never fit.
  absl::StatusOr<WaiterId> Reserve(size_t bytes, Executor* executor,
                                   Granted granted);
  // True when the waiter was still waiting; its callback is dropped uncalled.
  bool Cancel(WaiterId id);

  size_t limit() const { return limit_; }
  const std::string& name() const { return name_; }
  size_t used() const;
  // The most that was ever in use.
  size_t peak() const;

 private:
  friend class Reservation;
  struct Waiter {
    WaiterId id;
    size_t bytes;
    Executor* executor;
    Granted granted;
  };

  ByteBudget(std::string name, size_t limit)
      : name_(std::move(name)), limit_(limit) {}
  absl::Status CheckPossible(size_t bytes) const;
  void Take(size_t bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Return(size_t bytes);

  const std::string name_;
  const size_t limit_;
  mutable Mutex mutex_;
  size_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t peak_ ABSL_GUARDED_BY(mutex_) = 0;
  WaiterId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::list<Waiter> waiters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_BYTE_BUDGET_H_
