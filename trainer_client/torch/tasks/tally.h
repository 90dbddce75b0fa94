// Sums of a training or evaluation pass. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_TALLY_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_TALLY_H_

namespace tributary {

// Sums over the labelled inputs of one rank, or of all ranks.
struct Tally {
  double loss = 0;
  double correct = 0;
  double labelled = 0;   // inputs whose label is not -1
  double inputs = 0;     // labelled or not, duplicates included
  double exhausted = 0;  // negatives for which no allowed pair was found

  void Add(const Tally& other) {
    loss += other.loss;
    correct += other.correct;
    labelled += other.labelled;
    inputs += other.inputs;
    exhausted += other.exhausted;
  }
  // 0 without labelled inputs, as is MeanLoss().
  double Accuracy() const { return labelled == 0 ? 0 : correct / labelled; }
  double MeanLoss() const { return labelled == 0 ? 0 : loss / labelled; }
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_TALLY_H_
