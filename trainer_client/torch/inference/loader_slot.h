// The one loader that a prediction reads at a time. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LOADER_SLOT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LOADER_SLOT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/runtime/mutex.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/sessions/batch_source.h"

namespace tributary {

// Owns a loader, and the ring that it receives into, until the next one is
// opened. One thread opens and closes; any may cancel.
class LoaderSlot {
 public:
  // `source` must outlive the object.
  explicit LoaderSlot(BatchSource* source) : source_(source) {}

  // Destroys the last loader and opens another, which stays valid until the
  // next call. CANCELLED after Cancel(); errors of BatchSource::Open().
  absl::StatusOr<DistLoader*> Open(const SessionOptions& options);
  void Close();
  // Cancels the loader, and those that would be opened later. Thread-safe.
  void Cancel();

 private:
  BatchSource* const source_;
  Mutex mutex_;  // keeps Cancel() from a loader that is being destroyed
  std::unique_ptr<DistLoader> loader_ ABSL_GUARDED_BY(mutex_);
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LOADER_SLOT_H_
