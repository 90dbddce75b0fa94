// A GraphSAGE model, its optimizer and its data parallel step.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_CLASSIFIER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_CLASSIFIER_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

class ProcessGroup;

// Sums over the labelled inputs of this rank (label -1: none).
struct Tally {
  double loss = 0;
  double correct = 0;
  double labelled = 0;
  double inputs = 0;  // positions, labelled or not

  void Add(const Tally& other) {
    loss += other.loss;
    correct += other.correct;
    labelled += other.labelled;
    inputs += other.inputs;
  }
};

// Methods are called by all ranks alike but for Evaluate and LargestLabel.
class NodeClassifier {
 public:
  // `group` outlives the object. Parameters are drawn from the random seed and
  // equal on all ranks; dropout differs between them. UNAVAILABLE for a device
  // that this machine does not have.
  static absl::StatusOr<std::unique_ptr<NodeClassifier>> Create(
      const TrainOptions& options, int64_t in_channels, int64_t num_classes,
      ProcessGroup* group);
  ~NodeClassifier();

  // One optimizer step on the mean over the round's inputs. `lease`: this
  // rank's batch, or null when none is left for it.
  absl::StatusOr<Tally> Step(const BatchLease* lease, uint64_t round_inputs);
  absl::StatusOr<Tally> Evaluate(const BatchLease& lease);
  // -1 when no input has a label.
  static absl::StatusOr<int64_t> LargestLabel(const BatchLease& lease);

  // Keeps, and takes back, the parameters of now.
  void Remember();
  void Recall();

 private:
  struct State;
  explicit NodeClassifier(std::unique_ptr<State> state);
  const std::unique_ptr<State> state_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_CLASSIFIER_H_
