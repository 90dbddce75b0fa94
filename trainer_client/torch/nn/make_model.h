// Makes the models that an option names.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_MAKE_MODEL_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_MAKE_MODEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/nn/input_embedding.h"
#include "trainer_client/torch/nn/model_options.h"

namespace tributary {

// Returns a model on the CPU, in float32. Its initial parameters are a function
// of the arguments alone, drawn as PyG draws them; the default generator is
// left as it was. Parameters have PyG's names and shapes:
//
//   sage, gcn, gat   on a homogeneous graph those of torch_geometric.nn.models
//                    (convs.0.lin_l.weight); on typed ones a layer for each
//                    relation, as to_hetero (convs.0.<src__rel__dst>.lin_l...).
//   rgcn             convs.<l> as RGCNConv, for all types; input.<type>, a
//                    projection of features to hidden_channels.
//   embedding        input.<type> alone: a model without neighbours, whose
//                    out_channels are hidden_channels.
//
// Nodes of types without features read rows of hidden_channels of `embedding`
// (embedding.<type>...); null: a DenseEmbedding. INVALID_ARGUMENT for options
// that are not valid and for types whose parameters would have equal names,
// INTERNAL for what LibTorch throws.
absl::StatusOr<std::shared_ptr<GnnModel>> MakeModel(
    const ModelOptions& options, const TypeTable& types, uint64_t random_seed,
    std::shared_ptr<InputEmbedding> embedding = nullptr);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_MAKE_MODEL_H_
