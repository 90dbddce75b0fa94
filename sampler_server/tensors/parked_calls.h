// Calls that wait until a number has been reached.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_PARKED_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_PARKED_CALLS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/runtime/cancel_token.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A number that only grows, and the calls that wait for it without holding a
// thread: reads wait for a round of gradients, ranks for a meeting. Create with
// std::make_shared. The executor outlives it. Thread-safe.
class ParkedCalls : public std::enable_shared_from_this<ParkedCalls> {
 public:
  // Runs on the executor, never inside a method of this class. OK when the
  // number is reached; else why the wait has ended.
  using Resume = absl::AnyInvocable<void(absl::Status)>;

  explicit ParkedCalls(Executor* executor) : executor_(executor) {}

  // Resumes the call once number() >= `number`; with late() at `deadline`, with
  // CANCELLED when `cancel` is, and with the error of Fail or End. `late` must
  // not call this object.
  void Park(uint64_t number, absl::Time deadline, const CancelToken& cancel,
            absl::AnyInvocable<absl::Status()> late, Resume resume);

  // Sets the number, if it is larger, and resumes those that waited for it.
  void Reach(uint64_t number);
  // Resumes all that wait with `why`.
  void Fail(const absl::Status& why);
  // Fail, also for all calls that come later.
  void End(const absl::Status& why);

  uint64_t number() const;
  // Returns how many calls wait.
  size_t size() const;

 private:
  struct Parked {
    uint64_t number;
    TimerId timer = 0;
    absl::AnyInvocable<absl::Status()> late;
    Resume resume;
  };

  void EndOne(uint64_t id, bool is_late);
  void Post(Resume resume, absl::Status status);

  Executor* const executor_;
  mutable Mutex mutex_;
  uint64_t number_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status ended_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<uint64_t, Parked> parked_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_PARKED_CALLS_H_
