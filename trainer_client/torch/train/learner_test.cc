// What a learner does with the modules of a model and its task.
#include "trainer_client/torch/train/learner.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/tasks/training_task.h"
#include "trainer_client/torch/testing/train_job.h"
#include "trainer_client/torch/train/step_times.h"

namespace tributary {
namespace {

class OneParameter final : public torch::nn::Module {
 public:
  OneParameter() : value(register_parameter("value", at::ones({1}))) {}
  const at::Tensor value;
};

// Notes the mode in which it is called.
class NotingModel final : public GnnModel {
 public:
  NotingModel() : weight_(register_parameter("weight", at::ones({1}))) {}
  TypeTensors Forward(const MiniBatch& batch) override {
    trains.push_back(is_training());
    const int64_t n = batch.layers.back().num_dst[0];
    return {at::ones({n, 1}) * weight_};
  }
  std::vector<bool> trains;

 private:
  const at::Tensor weight_;
};

// Notes the mode of its decoder.
class NotingTask final : public TrainingTask {
 public:
  int64_t out_channels() const override { return 1; }
  std::shared_ptr<torch::nn::Module> decoder() const override {
    return decoder_;
  }
  absl::StatusOr<at::Tensor> Loss(const MiniBatch&, const TypeTensors& out,
                                  Tally* tally) override {
    Note();
    tally->inputs = 1;
    return out[0].sum() * decoder_->value.sum();
  }
  absl::Status Predict(const MiniBatch&, const TypeTensors&,
                       PredictionRows*) override {
    Note();
    return absl::OkStatus();
  }
  std::unique_ptr<CandidateScorer> Candidates(const EntityRows&) override {
    Note();
    return nullptr;
  }
  std::vector<bool> trains;

 private:
  void Note() { trains.push_back(decoder_->is_training()); }
  const std::shared_ptr<OneParameter> decoder_ =
      std::make_shared<OneParameter>();
};

// Dropout of either would make metrics depend on the draws.
TEST(LearnerTest, OnlyRoundsTrainTheModelAndItsDecoder) {
  auto group = ProcessGroup::Connect({}, absl::Seconds(10));
  ASSERT_TRUE(group.ok()) << group.status();
  NeighborLoaderOptions loader_options;
  loader_options.input_split = "train";
  loader_options.num_neighbors = {1};
  loader_options.batch_size = 8;
  auto loader = MakeInMemoryLoader(SmallGraph(), loader_options);
  ASSERT_TRUE(loader.ok()) << loader.status();
  ASSERT_TRUE((*loader)->StartEpoch(0).ok());
  auto lease = (*loader)->Next();
  ASSERT_TRUE(lease.ok()) << lease.status();

  const auto model = std::make_shared<NotingModel>();
  auto made = std::make_unique<NotingTask>();
  NotingTask& task = *made;
  auto learner = Learner::Create(TrainOptions{}, (*loader)->schema(), model,
                                 std::move(made), group->get());
  ASSERT_TRUE(learner.ok()) << learner.status();
  PredictionRows rows;
  EntityRows entities{.num_nodes = {160}, .by_type = {{}}};
  StepTimer timer(SteadyClock());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE((*learner)
                    ->Round(&**lease, {.step_inputs = 8}, timer, nullptr,
                            [](const RoundResult&) { return true; })
                    .ok());
    ASSERT_TRUE((*learner)->Evaluate(**lease, &rows).ok());
    ASSERT_TRUE((*learner)->Embed(**lease, &entities).ok());
    EXPECT_FALSE((*learner)->Candidates(entities).ok());
  }
  EXPECT_EQ(model->trains,
            (std::vector<bool>{true, false, false, true, false, false}));
  EXPECT_EQ(task.trains,
            (std::vector<bool>{true, false, false, true, false, false}));

  // Nor do those that come first after a round.
  model->trains.clear();
  task.trains.clear();
  for (const bool embeds : {true, false}) {
    ASSERT_TRUE((*learner)
                    ->Round(&**lease, {.step_inputs = 8}, timer, nullptr,
                            [](const RoundResult&) { return true; })
                    .ok());
    if (embeds) {
      ASSERT_TRUE((*learner)->Embed(**lease, &entities).ok());
    } else {
      EXPECT_FALSE((*learner)->Candidates(entities).ok());
    }
  }
  EXPECT_EQ(model->trains, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(task.trains, (std::vector<bool>{true, true, false}));
}

}  // namespace
}  // namespace tributary
