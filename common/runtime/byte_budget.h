// A limit on the bytes that are in use at one time, taken as reservations.
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

// Holds bytes taken from a ByteBudget and returns them on destruction. Keeps
// the budget alive. Move-only; not thread-safe.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept;
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation() { Release(); }

  size_t bytes() const { return bytes_; }
  // Returns all bytes to the budget now.
  void Release();
  // Returns all but `bytes` to the budget. Requires bytes <= bytes().
  void ShrinkTo(size_t bytes);

 private:
  friend class ByteBudget;
  Reservation(std::shared_ptr<ByteBudget> budget, size_t bytes)
      : budget_(std::move(budget)), bytes_(bytes) {}
  std::shared_ptr<ByteBudget> budget_;
  size_t bytes_ = 0;
};

// A number of bytes that may be reserved at one time. Waiters are served first
// come, first served: a small request never overtakes a large one, so none
// starves. Made by Create(); reservations keep it alive. Thread-safe.
class ByteBudget : public std::enable_shared_from_this<ByteBudget> {
 public:
  using Granted = absl::AnyInvocable<void(Reservation)>;
  using WaiterId = uint64_t;  // 0 is no waiter

  // Makes a budget of `limit` bytes. `name` is the option that sets the limit;
  // error messages use it.
  static std::shared_ptr<ByteBudget> Create(std::string name, size_t limit);

  // Reserves `bytes` at once. RESOURCE_EXHAUSTED if they do not fit now or
  // others are waiting; INVALID_ARGUMENT, naming the option to raise, if they
  // exceed the limit.
  absl::StatusOr<Reservation> TryReserve(size_t bytes);

  // Calls `granted` on `executor` once the bytes are available; returns an id
  // for Cancel(). INVALID_ARGUMENT at once if they exceed the limit. `executor`
  // must outlive the wait.
  absl::StatusOr<WaiterId> Reserve(size_t bytes, Executor* executor,
                                   Granted granted);
  // Ends a wait. Returns true if the waiter was still waiting; its callback is
  // then destroyed without being called.
  bool Cancel(WaiterId id);

  size_t limit() const { return limit_; }
  const std::string& name() const { return name_; }
  size_t used() const;
  // The largest number of bytes that has been in use.
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
