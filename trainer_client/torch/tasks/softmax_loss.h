// The loss of links among all nodes of their batch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_SOFTMAX_LOSS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_SOFTMAX_LOSS_H_

#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/tasks/link_decoder.h"

namespace tributary {

// Returns the sum over the batch's links of the mean of two cross entropies: of
// the destination among all rows of `out` of its type, given the source, and of
// the source given the destination (Lacroix et al.: Canonical Tensor
// Decomposition for Knowledge Base Completion, 2018, on the nodes of a batch
// instead of all). Links of all relations between two node types are scored
// together, [links, rows of the type]. Undefined without links.
at::Tensor SoftmaxLoss(const MiniBatch& batch, const TypeTable& types,
                       const TypeTensors& out, LinkScorer& scorer);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_SOFTMAX_LOSS_H_
