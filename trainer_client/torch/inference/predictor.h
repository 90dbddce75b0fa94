// Writes a model's predictions and embeddings of nodes or links into files. No
// torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTOR_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTOR_H_

#include <memory>

#include "absl/status/status.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/inference/loader_slot.h"
#include "trainer_client/torch/inference/predict_options.h"
#include "trainer_client/torch/train/learner.h"
#include "trainer_client/torch/train/train_options.h"
#include "trainer_client/torch/train/train_report.h"
#include "trainer_client/torch/train/trainer.h"

namespace tributary {

// Predicts the target of the options by a learner's model and writes into the
// folder options.out:
//
//                     nodes                       links of a split
//   ids.npy           int64 [n], original ids     int64 [n, 2], both ends
//   predictions.npy   float32 [n, C], the         float32 [n], scores
//                     model's output (logits)
//   embeddings.npy    float32 [n, H], the rows    float32 [n, 2, C], the
//                     that the last layer reads   model's rows of both ends
//
// With options.ext_ids also the files of ExtIdFiles.
//
// With --task link all nodes of a type have ids and embeddings, the model's
// output. Rows are in the order of the split or of the ids, and the same bytes
// for any number of ranks. A model that is no LayeredModel has no embeddings,
// and is refused layer-wise.
//
// All ranks read batches and write their rows. The files appear once they are
// complete. Layer-wise, a run that ended early goes on at the first layer that
// is not complete, if graph, model, target and options are the same; a smaller
// batch size is not another option. Rank 0 keeps predict.json.
//
//   LoaderSlot loaders(source);
//   Predictor predictor(options, train_options, &loaders, group, observer);
//   RETURN_IF_ERROR(predictor.Prepare(*learner));
//   RETURN_IF_ERROR(predictor.Run(*learner));
//
// The arguments must outlive it; LoaderSlot::Cancel() ends it. Every rank must
// make the same calls, on one thread. FAILED_PRECONDITION as PredictionFolder,
// NOT_FOUND for an unknown split, INVALID_ARGUMENT for a target that the model
// cannot predict and for a batch that is too large; errors of loaders and of
// the disk.
class Predictor final : public AfterTraining {
 public:
  Predictor(const PredictOptions& options, const TrainOptions& train,
            LoaderSlot* loaders, ProcessGroup* group, TrainObserver* observer);
  ~Predictor() override;

  // Checks folder, target and model; writes nothing.
  absl::Status Prepare(Learner& learner) override;
  // Predicts with the learner's parameters. Requires Prepare().
  absl::Status Run(Learner& learner) override;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTOR_H_
