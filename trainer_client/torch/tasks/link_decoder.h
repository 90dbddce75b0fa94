// Scores of links, from the rows of their ends.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_DECODER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_DECODER_H_

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/tasks/link_task_options.h"

namespace tributary {

// Used by one thread; may throw what LibTorch throws.
class LinkScorer : public torch::nn::Module {
 public:
  // Returns the scores [...] of links of `relation` (index into
  // TypeTable::relations) with the rows `src` and `dst`, [..., channels], whose
  // shapes broadcast. `draw_key` is the batch's.
  virtual at::Tensor Score(size_t relation, const at::Tensor& src,
                           const at::Tensor& dst, uint64_t draw_key) = 0;
  // Returns [n, candidates]: the scores of links between row i of `given`, [n,
  // channels], and each row of `candidates`, [candidates, channels], of the
  // relations `relations`, int64 [n] on the CPU. Every decoder is symmetric, so
  // `given` may be either end.
  virtual at::Tensor ScoreAll(const at::Tensor& relations,
                              const at::Tensor& given,
                              const at::Tensor& candidates,
                              uint64_t draw_key) = 0;
};

// Returns the decoder that options.decoder names. Its initial parameters are a
// function of the arguments alone:
//
//   kDot       none
//   kDistMult  weight [edge types, channels], in the order of
//   options.edge_types
//              as glorot draws them (PyG's DistMult)
//   kMlp       lins.0 and lins.1, as torch.nn.Linear draws them
//
// INVALID_ARGUMENT for a type that the graph does not have, and for channels
// below 1.
absl::StatusOr<std::shared_ptr<LinkScorer>> MakeLinkScorer(
    const LinkTaskOptions& options, const TypeTable& types,
    uint64_t random_seed);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_DECODER_H_
