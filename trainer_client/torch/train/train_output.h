// What `tributary-train` shows and writes down. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OUTPUT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OUTPUT_H_

#include <fstream>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// "epoch 3/40  loss 0.5321  train 0.914  valid 0.792  1234 inputs/s
// 12.3 MB/s  waiting 34%", on one line; epochs count from 1 here alone.
std::string EpochLine(const EpochReport& report, uint64_t epochs);

// "result test_accuracy=0.8120 valid_accuracy=0.7940 best_epoch=27 epochs=40
// seconds=4.2", on one line; what was not measured is left out.
std::string ResultLine(const TrainResult& result);

// "train 3/40 [#####-----] 5/10", at most 72 characters.
std::string ProgressLine(std::string_view phase, uint64_t epoch,
                         uint64_t epochs, uint64_t done, uint64_t total);

// One JSON object a line: "start" with the command line, "epoch", "result".
// Flushed after each.
class TrainLog {
 public:
  // Replaces the file. UNAVAILABLE when it cannot be written.
  static absl::StatusOr<std::unique_ptr<TrainLog>> Create(
      const std::string& path);
  void Start(const std::string& command_line, int world);
  void Epoch(const EpochReport& report);
  // UNAVAILABLE when a line could not be written (say, the disk is full).
  absl::Status Result(const TrainResult& result);

 private:
  TrainLog(std::string path, std::ofstream file)
      : path_(std::move(path)), file_(std::move(file)) {}
  const std::string path_;
  std::ofstream file_;
};

// Lines on stdout, progress on stderr when that is a terminal and it is asked
// for, and the log; null: no log.
class TrainOutput final : public TrainObserver {
 public:
  TrainOutput(uint64_t epochs, bool progress, TrainLog* log);
  void OnRound(std::string_view phase, uint64_t epoch, uint64_t done,
               uint64_t total) override;
  void OnEpoch(const EpochReport& report) override;
  absl::Status Finish(const TrainResult& result);
  // Takes the progress line away, so that something else can be printed.
  void ClearProgress();

 private:
  const uint64_t epochs_;
  const bool progress_;
  TrainLog* const log_;
  absl::Time drawn_ = absl::InfinitePast();
  bool on_screen_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_OUTPUT_H_
