// Signals that a piece of work is no longer wanted.
#ifndef TRIBUTARY_COMMON_RUNTIME_CANCEL_TOKEN_H_
#define TRIBUTARY_COMMON_RUNTIME_CANCEL_TOKEN_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Shared between the code that may cancel and the code that works: copies refer
// to the same token. Thread-safe.
class CancelToken {
 public:
  CancelToken() : state_(std::make_shared<State>()) {}

  bool cancelled() const {
    MutexLock lock(state_->mutex);
    return state_->cancelled;
  }

  // Cancels. The first call runs the registered callbacks, each once, on the
  // calling thread.
  void Cancel() const {
    std::vector<absl::AnyInvocable<void()>> callbacks;
    {
      MutexLock lock(state_->mutex);
      state_->cancelled = true;
      callbacks.swap(state_->callbacks);
    }
    for (auto& callback : callbacks) callback();
  }

  // Registers `callback` to run inside Cancel(); runs it now if the token is
  // already cancelled.
  void OnCancel(absl::AnyInvocable<void()> callback) const {
    {
      MutexLock lock(state_->mutex);
      if (!state_->cancelled) {
        state_->callbacks.push_back(std::move(callback));
        return;
      }
    }
    callback();
  }

 private:
  struct State {
    Mutex mutex;
    bool cancelled ABSL_GUARDED_BY(mutex) = false;
    std::vector<absl::AnyInvocable<void()>> callbacks ABSL_GUARDED_BY(mutex);
  };
  std::shared_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_CANCEL_TOKEN_H_
