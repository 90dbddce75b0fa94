// EdgeBank: F. Poursafaei, S. Huang, K. Pelrine, R. Rabbany, "Towards Better
// Evaluation for Dynamic Link Prediction", NeurIPS 2022 (arXiv:2207.10128). No
// torch.
#ifndef TRIBUTARY_EXAMPLES_BASELINES_EDGE_BANK_H_
#define TRIBUTARY_EXAMPLES_BASELINES_EDGE_BANK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/torch/tasks/evaluation.h"

namespace tributary {

struct EdgeBankOptions {
  // How much older than a link an edge may be to be remembered, in the graph's
  // unit of time. None: any edge is (EdgeBank with infinite memory).
  std::optional<int64_t> window;
};

// Times of edges by edge type "src,rel,dst" and edge id.
using EdgeTimes =
    std::map<std::string, std::shared_ptr<const std::vector<int64_t>>>;

// Predicts 1 for a pair of nodes that had an edge of the link's type before the
// link's time, else 0. It reads this from batches whose one hop takes all edges
// (fanout -1) of `time edge` with `strict`: a tree then has every earlier edge
// into each end and negative of its link, whatever the order of the batches.
class EdgeBank {
 public:
  // `reverse_ids`: odd edge ids are reverses, which are no edges of the input
  // (HasReverseIds). `times` must have the links' types if there is a window.
  EdgeBank(EdgeBankOptions options, bool reverse_ids, EdgeTimes times)
      : options_(options),
        reverse_ids_(reverse_ids),
        times_(std::move(times)) {}

  // Adds a row for each link, as TrainingTask::Predict does for links: its own
  // prediction and those of its negatives. INVALID_ARGUMENT for a batch without
  // links, times or negatives; OUT_OF_RANGE for an edge without a time.
  absl::Status Predict(const HeteroBatch& batch, PredictionRows* rows) const;

 private:
  // The latest time of each pair of local numbers; 0 without a window.
  using Memory = std::map<std::pair<int32_t, int32_t>, int64_t>;

  absl::StatusOr<Memory> Remember(const std::string& type,
                                  const HeteroBatch& batch) const;
  bool Knows(const Memory& memory, int32_t src, int32_t dst,
             int64_t time) const;
  absl::Status AddPairs(const HeteroLinks& links, const Memory& memory,
                        PredictionRows* rows) const;
  absl::Status AddTriplets(const HeteroLinks& links, const Memory& memory,
                           PredictionRows* rows) const;

  const EdgeBankOptions options_;
  const bool reverse_ids_;
  const EdgeTimes times_;
};

}  // namespace tributary

#endif  // TRIBUTARY_EXAMPLES_BASELINES_EDGE_BANK_H_
