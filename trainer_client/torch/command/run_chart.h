// The SVG file of --svg: loss and metrics of a run by epoch. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_CHART_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_CHART_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/train/train_report.h"

namespace tributary {

// Returns the epochs in a file of --log, as far as a chart needs them: number,
// loss, accuracy and metric. Skips lines that are not whole, as the last one of
// a run that was killed. Empty if there is no such file.
std::vector<EpochReport> EpochsInLog(const std::string& path);

// Collects the epochs of a run and draws them at its end. Used by one thread.
class RunChart {
 public:
  // Checks that `path` can be written; it is created, not emptied. `earlier`
  // are the epochs of the run that this one goes on with. UNAVAILABLE if it
  // cannot.
  static absl::StatusOr<std::unique_ptr<RunChart>> Create(
      const std::string& path, const std::vector<EpochReport>& earlier);

  // Epochs come in ascending order: takes the place of those from this one on,
  // which a resumed run takes again.
  void Epoch(const EpochReport& report);
  // Writes the file. UNAVAILABLE if it cannot be written.
  absl::Status Finish() const;

  // Returns the SVG document.
  std::string Draw() const;

 private:
  explicit RunChart(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  std::map<uint64_t, EpochReport> epochs_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_CHART_H_
