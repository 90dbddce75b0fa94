// What a training run says of itself. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_REPORT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_REPORT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace tributary {

// Over all ranks.
struct EpochReport {
  uint64_t epoch = 0;
  double loss = 0;            // mean over the inputs
  double train_accuracy = 0;  // of the training passes, dropout and all
  std::optional<double> valid_accuracy;
  uint64_t inputs = 0;
  uint64_t bytes = 0;     // of batches
  double seconds = 0;     // of the training rounds
  double wait_share = 0;  // of them, waiting for a batch; mean of the ranks
};

struct TrainResult {
  uint64_t epochs = 0;
  uint64_t best_epoch = 0;  // by valid accuracy; the last without it
  std::optional<double> best_valid_accuracy;
  std::optional<double> test_accuracy;  // with the best epoch's parameters
  double seconds = 0;                   // all of it
};

// Called on the training thread, by every rank with equal reports.
class TrainObserver {
 public:
  virtual ~TrainObserver() = default;
  // `phase` is "classes", "train", "valid" or "test"; rounds of this rank.
  virtual void OnRound(std::string_view phase, uint64_t epoch, uint64_t done,
                       uint64_t total) = 0;
  virtual void OnEpoch(const EpochReport& report) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_REPORT_H_
