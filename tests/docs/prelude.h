// What the functions that blocks.py writes start from.
#ifndef TRIBUTARY_TESTS_DOCS_PRELUDE_H_
#define TRIBUTARY_TESTS_DOCS_PRELUDE_H_

#include <ATen/ATen.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/text/status.h"
#include "trainer_client/core/dist_link_neighbor_loader.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/graph/dist_data_loader.h"
#include "trainer_client/graph/dist_graph.h"
#include "trainer_client/graph/node_split.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/torch/checkpoint/safetensors.h"
#include "trainer_client/torch/ddp/ddp.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/ddp/rank_environment.h"
#include "trainer_client/torch/embedding/dist_embedding.h"
#include "trainer_client/torch/embedding/sparse_optimizer.h"
#include "trainer_client/torch/inference/loader_slot.h"
#include "trainer_client/torch/train/learner.h"

namespace tributary {
namespace doc_blocks {

// What a reader's own program has.
using OwnModel = torch::nn::LinearImpl;
struct Blocks {};

}  // namespace doc_blocks
}  // namespace tributary

#endif  // TRIBUTARY_TESTS_DOCS_PRELUDE_H_
