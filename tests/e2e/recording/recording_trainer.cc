// `tributary-train` whose model records the inputs of each batch that it is
// trained on: a line "EPOCH INDEX INPUT INPUT ..." in the file named by the
// environment variable TRIBUTARY_RECORD, with "." and the rank appended.
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "common/observe/log.h"
#include "common/text/status.h"
#include "trainer_client/torch/command/train_command.h"
#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/nn/make_model.h"
#include "trainer_client/torch/real_batch_source.h"

namespace {

using tributary::GnnModel;
using tributary::MiniBatch;
using tributary::ModelOptions;
using tributary::TypeTable;
using tributary::TypeTensors;

std::string Variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

class RecordingModel final : public GnnModel {
 public:
  explicit RecordingModel(std::shared_ptr<GnnModel> model)
      : model_(std::move(model)),
        file_(Variable("TRIBUTARY_RECORD", "record") + "." +
                  Variable("RANK", "0"),
              std::ios::app) {
    register_module("model", model_);
  }

  TypeTensors Forward(const MiniBatch& batch) override {
    if (is_training()) Record(batch);
    return model_->Forward(batch);
  }

 private:
  // Flushes, so that the line outlives a process that is killed.
  void Record(const MiniBatch& batch) {
    file_ << batch.epoch << " " << batch.index;
    for (int64_t i = 0; i < batch.input_id.numel(); ++i) {
      file_ << " " << batch.input_id[i].item<int64_t>();
    }
    file_ << std::endl;
  }

  const std::shared_ptr<GnnModel> model_;
  std::ofstream file_;
};

absl::StatusOr<std::shared_ptr<GnnModel>> MakeRecordingModel(
    const ModelOptions& options, const TypeTable& types, uint64_t random_seed) {
  ASSIGN_OR_RETURN(std::shared_ptr<GnnModel> model,
                   tributary::MakeModel(options, types, random_seed));
  return std::make_shared<RecordingModel>(std::move(model));
}

}  // namespace

int main(int argc, char** argv) {
  tributary::SetLogLevel(tributary::LogLevel::kWarning);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  return tributary::RunTrainCommand(argc, argv, tributary::OpenRealBatchSource,
                                    MakeRecordingModel);
}
