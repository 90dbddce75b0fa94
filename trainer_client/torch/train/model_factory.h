// The function by which a program makes a model of its own. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_MODEL_FACTORY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_MODEL_FACTORY_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/torch/nn/model_options.h"

namespace tributary {

class GnnModel;
struct TypeTable;

// Returns a model on the CPU whose output has options.out_channels columns. Its
// parameters must be a function of the arguments. The default is MakeModel().
using ModelFactory = std::function<absl::StatusOr<std::shared_ptr<GnnModel>>(
    const ModelOptions& options, const TypeTable& types, uint64_t random_seed)>;

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_MODEL_FACTORY_H_
