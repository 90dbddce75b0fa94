// Reads each batch of a session once, over all ranks.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_BATCH_PASS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_BATCH_PASS_H_

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/inference/loader_slot.h"
#include "trainer_client/torch/train/train_options.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// Used by one thread; every rank must make the same calls.
class BatchPass {
 public:
  // The pointers must outlive the object.
  BatchPass(const TrainOptions& options, const c10::Device& device,
            LoaderSlot* loaders, ProcessGroup* group, TrainObserver* observer)
      : options_(options),
        device_(device),
        loaders_(loaders),
        group_(group),
        observer_(observer) {}

  const c10::Device& device() const { return device_; }

  // Opens the session and calls `f` with each batch of this rank, without
  // gradients. `phase` is that of TrainObserver::OnRound. A batch that is too
  // large for the loader's ring is an error that names --eval-batch-size.
  // Errors of the loader, of `f`, and of LibTorch (INTERNAL).
  absl::Status ForEach(const SessionOptions& session, std::string_view phase,
                       absl::FunctionRef<absl::Status(const MiniBatch&)> f);

 private:
  absl::Status WithLease(const BatchLease& lease, const GraphSchema& schema,
                         const TypeTable& types, DeviceCopies& copies,
                         bool expand_all,
                         absl::FunctionRef<absl::Status(const MiniBatch&)> f);

  const TrainOptions& options_;
  const c10::Device device_;
  LoaderSlot* const loaders_;
  ProcessGroup* const group_;
  TrainObserver* const observer_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_BATCH_PASS_H_
