// What a serving command waits for.
#ifndef TRIBUTARY_CLI_FLEET_END_SIGNAL_H_
#define TRIBUTARY_CLI_FLEET_END_SIGNAL_H_

#include "common/runtime/mutex.h"

namespace tributary {

// The first signal to a server, or another number than 0 that ends it.
// Thread-safe.
class EndSignal {
 public:
  void Set(int signal) {
    MutexLock lock(mutex_);
    if (signal_ == 0) signal_ = signal;
    set_.NotifyAll();
  }
  int Wait() {
    MutexLock lock(mutex_);
    while (signal_ == 0) set_.Wait(mutex_);
    return signal_;
  }

 private:
  Mutex mutex_;
  CondVar set_;
  int signal_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_END_SIGNAL_H_
