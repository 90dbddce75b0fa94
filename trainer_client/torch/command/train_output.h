// The output of `tributary-train`: lines, a progress bar and a log. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_OUTPUT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_OUTPUT_H_

#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "trainer_client/torch/command/tensorboard_log.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// Returns, on one line, "epoch 3/40  loss 0.5321  train 0.914  valid 0.792
// 1234 inputs/s  12.3 MB/s  waiting 34%". In output epochs count from 1.
std::string EpochLine(const EpochReport& report, uint64_t epochs);

// Returns, on one line, "step 41.2 ms: wait 30%  copy 4%  forward 20%  backward
// 31%  reduce 10%  optimizer 5%": the mean over steps and ranks. Empty without
// steps.
std::string StepLine(const StepTimes& step);

// Returns a line that counts the negatives of a pass ("training") for which no
// allowed pair was found; empty for 0.
std::string ExhaustedLine(uint64_t count, std::string_view pass);

// Returns, on one line, "result test_accuracy=0.8120 valid_accuracy=0.7940
// best_epoch=27 epochs=40 seconds=4.2"; omits what was not measured, and the
// epochs of a run without any.
std::string ResultLine(const TrainResult& result);

// Returns "train 3/40 [#####-----] 5/10", at most 72 characters.
std::string ProgressLine(std::string_view phase, uint64_t epoch,
                         uint64_t epochs, uint64_t done, uint64_t total);

// The file of --log: one JSON object per line, flushed after each; "start" with
// the command line, "epoch", "prediction", "result". Used by one thread.
class TrainLog {
 public:
  // Replaces the file, or goes on in it. UNAVAILABLE if it cannot be written.
  static absl::StatusOr<std::unique_ptr<TrainLog>> Create(
      const std::string& path, bool append = false);
  void Start(const std::string& command_line, int world);
  void Epoch(const EpochReport& report);
  void Prediction(const PredictionReport& report);
  // UNAVAILABLE if any line could not be written (say, the disk is full).
  absl::Status Result(const TrainResult& result);

 private:
  TrainLog(std::string path, std::ofstream file)
      : path_(std::move(path)), file_(std::move(file)) {}
  const std::string path_;
  std::ofstream file_;
};

// The event files of --tensorboard: the charts of a run by epoch. Used by one
// thread.
class TrainCharts {
 public:
  // `resumed`: the first report goes on with an earlier run's charts.
  TrainCharts(std::string folder, bool resumed)
      : folder_(std::move(folder)), resumed_(resumed) {}
  // Errors are returned by Finish.
  void Epoch(const EpochReport& report);
  absl::Status Finish();

 private:
  absl::Status Add(const EpochReport& report);

  const std::string folder_;
  const bool resumed_;
  std::optional<TensorBoardLog> log_;  // made by the first report
  absl::Status problem_;
};

// Prints lines on stdout, and progress on stderr if `progress` is true and
// stderr is a terminal. Writes to log and charts unless they are null; they
// must outlive the object. Used by one thread.
class TrainOutput final : public TrainObserver {
 public:
  TrainOutput(uint64_t epochs, bool progress, TrainLog* log,
              TrainCharts* charts = nullptr);
  void OnRound(std::string_view phase, uint64_t epoch, uint64_t done,
               uint64_t total) override;
  void OnEpoch(const EpochReport& report) override;
  void OnResume(const std::string& path, uint64_t step) override;
  void OnPrediction(const PredictionReport& report) override;
  // Prints to stderr.
  void OnNote(const std::string& note) override;
  // Prints the result. UNAVAILABLE if stdout or the log could not be written;
  // errors of the charts.
  absl::Status Finish(const TrainResult& result);
  // Erases the progress line, so that something else can be printed.
  void ClearProgress();

 private:
  const uint64_t epochs_;
  const bool progress_;
  TrainLog* const log_;
  TrainCharts* const charts_;
  absl::Time progress_shown_at_ = absl::InfinitePast();
  bool progress_on_screen_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_OUTPUT_H_
