#include "trainer_client/torch/inference/loader_slot.h"

#include <utility>

#include "common/text/status.h"

namespace tributary {

absl::StatusOr<DistLoader*> LoaderSlot::Open(const SessionOptions& options) {
  Close();
  ASSIGN_OR_RETURN(std::unique_ptr<DistLoader> opened, source_->Open(options));
  MutexLock lock(mutex_);
  if (cancelled_) return absl::CancelledError("the prediction was cancelled");
  loader_ = std::move(opened);
  return loader_.get();
}

void LoaderSlot::Close() {
  std::unique_ptr<DistLoader> closed;  // destroyed after the lock: it waits
  MutexLock lock(mutex_);
  closed = std::move(loader_);
}

void LoaderSlot::Cancel() {
  MutexLock lock(mutex_);
  cancelled_ = true;
  if (loader_) loader_->Cancel();
}

}  // namespace tributary
