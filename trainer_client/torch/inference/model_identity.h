// The identity of predictions: all that they depend on, as texts.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_MODEL_IDENTITY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_MODEL_IDENTITY_H_

#include "partition/schema/schema.h"
#include "trainer_client/torch/inference/predict_options.h"
#include "trainer_client/torch/inference/prediction_folder.h"
#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/tasks/training_task.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

// Returns the graph's name and content digest, the SHA-256 of the parameters of
// model and task and of rows on the servers, the target, and the options that
// change predictions. The batch size is not one of these where all neighbours
// are read. Throws c10::Error where rows on the servers cannot be read.
PredictionIdentity IdentityOf(const GraphSchema& schema, const GnnModel& model,
                              const TrainingTask& task,
                              const TrainOptions& train,
                              const PredictOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_MODEL_IDENTITY_H_
