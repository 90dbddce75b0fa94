// The options of link prediction. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_TASK_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_TASK_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/torch/tasks/metric.h"

namespace tributary {

// How a link is scored, given the model's rows a and b of its ends.
enum class LinkDecoder {
  kDot,       // the sum of a * b
  kDistMult,  // the sum of a * r * b, r a learned vector of the link's type
  kMlp,       // of a * b: OGB's LinkPredictor of two layers
};

// What a link's score is compared with.
enum class LinkLoss {
  kNegatives,  // its negatives: binary cross entropy, or BPR of triplets
  kSoftmax,    // all nodes of the batch, as either end: cross entropy
};

struct LinkTaskOptions {
  LinkDecoder decoder = LinkDecoder::kDot;
  LinkLoss loss = LinkLoss::kNegatives;
  // The links' types "src,rel,dst"; empty: the graph's only edge type.
  std::vector<std::string> edge_types;
  int64_t channels = 0;  // of the model's rows; the hidden layer of kMlp
  double dropout = 0;    // of the hidden layer of kMlp
};

// INVALID_ARGUMENT, listing the names, unless it is "dot", "distmult" or
// "mlp".
absl::StatusOr<LinkDecoder> LinkDecoderFromName(const std::string& name);

// Whether MeasureLinks() or RankAmongAll() has it.
bool MeasuresLinks(Metric metric);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_TASK_OPTIONS_H_
