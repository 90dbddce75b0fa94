// A GraphSAGE model, its optimizer and its data parallel step. No torch in this
// header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_CLASSIFIER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_CLASSIFIER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/torch/train/tally.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

class ProcessGroup;

// Trains GraphSAGE for node classification. Each rank has one, with equal
// parameters. Used by one thread. All ranks must make the same calls in the
// same order, except Evaluate(), LargestLabel(), SaveParameters() and
// RestoreParameters(), which involve one rank.
//
// Exceptions of LibTorch are returned as INTERNAL; a batch that the model
// cannot take as INVALID_ARGUMENT or OUT_OF_RANGE (see MakeNodeExample()).
class NodeClassifier {
 public:
  // Draws the parameters from the random seed; they are equal on all ranks,
  // while dropout differs. `group` must outlive the object. UNAVAILABLE for a
  // device that this machine does not have.
  static absl::StatusOr<std::unique_ptr<NodeClassifier>> Create(
      const TrainOptions& options, int64_t in_channels, int64_t num_classes,
      ProcessGroup* group);
  ~NodeClassifier();

  // Takes one optimizer step on the mean loss over the round's inputs, of which
  // there are `round_inputs` at all ranks. `lease` is this rank's batch, or
  // null when it has none in the round. Returns this rank's sums.
  absl::StatusOr<Tally> Step(const BatchLease* lease, uint64_t round_inputs);
  // Returns the batch's sums without a loss; changes no parameter.
  absl::StatusOr<Tally> Evaluate(const BatchLease& lease);
  // Returns the largest label of the batch's inputs; -1 when none has one.
  static absl::StatusOr<int64_t> LargestLabel(const BatchLease& lease);

  // Keeps a copy of the parameters; replaces the last copy.
  void SaveParameters();
  // Sets the parameters to the copy, if there is one.
  void RestoreParameters();

 private:
  struct State;
  explicit NodeClassifier(std::unique_ptr<State> state);
  const std::unique_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_CLASSIFIER_H_
