// The event that a serving command waits for.
#ifndef TRIBUTARY_CLI_FLEET_END_SIGNAL_H_
#define TRIBUTARY_CLI_FLEET_END_SIGNAL_H_

#include "common/runtime/mutex.h"

namespace tributary {

// Holds the first number given to Set(): the signal that ends a server, or
// another number that is not 0. Thread-safe.
class EndSignal {
 public:
  void Set(int signal) {
    MutexLock lock(mutex_);
    if (signal_ == 0) signal_ = signal;
    set_.NotifyAll();
  }
  // Waits for the first Set() and returns its number.
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
