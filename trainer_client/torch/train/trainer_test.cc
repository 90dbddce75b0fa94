#include "trainer_client/torch/train/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "trainer_client/torch/testing/train_job.h"

namespace tributary {
namespace {

TEST(TrainerTest, LearnsCommunities) {
  Job job;
  job.options.epochs = 20;
  job.options.model.dropout = 0.3;
  job.options.learning_rate = 0.02;
  job.loader_options.num_neighbors = {5, 5};
  job.loader_options.batch_size = 16;
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(*result->test, 0.9);
  EXPECT_GE(*result->best_valid, 0.9);
  ASSERT_EQ(job.reports.epochs.size(), 20);
  EXPECT_LT(job.reports.epochs.back().loss, job.reports.epochs[0].loss);
  EXPECT_EQ(job.reports.epochs[0].inputs, 54);
  EXPECT_GT(job.reports.epochs[0].bytes, 0);
  // The best epoch is the first with the best valid accuracy.
  for (const EpochReport& report : job.reports.epochs) {
    EXPECT_LE(*report.valid, *result->best_valid);
    if (report.epoch < result->best_epoch) {
      EXPECT_LT(*report.valid, *result->best_valid);
    }
  }
}

TEST(TrainerTest, EqualRunsGiveEqualBits) {
  auto losses = [] {
    Job job;
    job.options.model.dropout = 0.5;
    job.options.model.input_dropout = 0.2;
    job.loader_options.num_neighbors = {3, 2};
    job.loader_options.batch_size = 16;
    EXPECT_TRUE(job.Run().ok());
    std::vector<double> values;
    for (const auto& e : job.reports.epochs) values.push_back(e.loss);
    return values;
  };
  EXPECT_EQ(losses(), losses());
}

TEST(TrainerTest, EachPhaseOfAStepIsMeasured) {
  const CountingClock clock;
  Job job;
  job.options.clock = &clock;
  job.options.epochs = 2;
  job.loader_options.batch_size = 16;
  ASSERT_TRUE(job.Run().ok());
  ASSERT_EQ(job.reports.epochs.size(), 2);
  for (const EpochReport& report : job.reports.epochs) {
    EXPECT_EQ(report.step.steps, 4);  // of 16, 16, 16 and 6 inputs
    for (size_t phase = 0; phase < kNumStepPhases; ++phase) {
      EXPECT_NEAR(report.step.seconds[phase], 0.004, 1e-9)
          << kStepPhaseNames[phase];
    }
  }
  for (size_t phase = 0; phase < kNumStepPhases; ++phase) {
    EXPECT_EQ(job.reports.phases[static_cast<StepPhase>(phase)],
              std::vector<absl::Duration>(8, absl::Milliseconds(1)))
        << kStepPhaseNames[phase];
  }
  EXPECT_EQ(job.reports.steps, (std::vector<uint64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
}

// A graph in which only the node 60, the 20th training input, reads a feature
// that is not finite: batch 1 of 16 in the order of the list.
std::shared_ptr<InMemoryGraph> GraphWithNan() {
  auto graph = SmallGraph();
  graph->x[60 * graph->num_features] = NAN;
  std::erase_if(graph->edges,
                [](const auto& edge) { return edge.first == 60; });
  return graph;
}

TEST(TrainerTest, ALossThatIsNotFiniteNamesItsBatch) {
  Job job;
  job.train_graph = GraphWithNan();
  job.loader_options.shuffle = ShuffleMode::kNone;
  job.loader_options.batch_size = 16;
  job.options.checkpoints.folder = Folder("nan");
  job.options.checkpoints.every_steps = 1;
  job.sample_again = [](uint64_t epoch, uint64_t index) {
    return absl::StrCat("make ", epoch, " ", index);
  };
  const std::string what =
      "the loss is nan with batch 1 of epoch 1 on rank 0 of 1; no step was "
      "taken, and earlier checkpoints can be used\nthe same batch again: make "
      "0 1";
  const auto result = job.Run();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(result.status().message(), what);
  // The checkpoint after batch 0 is as of a run without that batch: it goes on
  // where the other graph has no such feature.
  Job again;
  again.loader_options = job.loader_options;
  again.options = job.options;
  again.options.checkpoints.resume = Folder("nan");
  const auto resumed = again.Run();
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(again.reports.resumed_step, 1);
  EXPECT_TRUE(std::isfinite(again.reports.epochs[0].loss));
}

// Losses and gradients of 1e20 are finite in float32, their squares are not.
TEST(TrainerTest, GradientsThatAreNotFiniteEndARunThatClipsThem) {
  Job job;
  auto graph = SmallGraph();
  for (float& x : graph->x) x *= 1e20F;
  job.train_graph = graph;
  job.options.num_classes = 4;
  job.options.model.dropout = 0;
  job.options.clip_grad_norm = 1;
  const auto result = job.Run();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_NE(result.status().message().find(
                "the norm of the gradients is inf with batch 0 of epoch 1"),
            absl::string_view::npos)
      << result.status();
}

TEST(TrainerTest, APlanTakesNoStep) {
  Job job;
  job.loader_options.batch_size = 12;
  job.labels_graph = SmallGraph();
  const auto plan = job.Plan(2);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->graph.substr(0, 10), "in-memory@");
  EXPECT_EQ(plan->nodes[0].second, 160);
  EXPECT_EQ(plan->edges[0].second, 960);
  EXPECT_EQ(plan->world, 2);
  ASSERT_EQ(plan->passes.size(), 3);
  const PassPlan& train = plan->passes[0];
  EXPECT_EQ(train.name, "train");
  EXPECT_EQ(train.inputs, 54);
  EXPECT_EQ(train.batches, 5);
  EXPECT_EQ(train.rounds, 3);
  EXPECT_GT(train.batch_nodes, 12);
  EXPECT_GT(train.batch_bytes, train.batch_nodes * 4 * sizeof(float));
  EXPECT_EQ(train.pass_bytes(), 5 * train.batch_bytes);
  EXPECT_EQ(plan->passes[2].name, "test");
  // SAGE of 4 features, 8 channels and 4 classes.
  EXPECT_EQ(plan->parameters, (2 * 4 * 8 + 8) + (2 * 8 * 4 + 4));
  EXPECT_EQ(plan->parameter_bytes, 140 * sizeof(float));
  EXPECT_EQ(plan->optimizer_bytes, 2 * 560 + 6 * 8);
  EXPECT_EQ(plan->checkpoint_bytes, 560 + 1168 + 560);
  EXPECT_TRUE(job.reports.epochs.empty());
  EXPECT_EQ(job.reports.rounds["train"], 0);
  EXPECT_EQ(job.train_stats().batches, 1);
}

// Gives all training nodes of a graph the labels `y`, and others 0.
std::shared_ptr<InMemoryGraph> GraphWithLabels(float y, int64_t columns) {
  auto graph = SmallGraph();
  graph->label_columns = columns;
  graph->float_y.assign(static_cast<size_t>(graph->num_nodes * columns), 0);
  for (const int64_t node : graph->splits["train"]) {
    for (int64_t c = 0; c < columns; ++c) {
      graph->float_y[static_cast<size_t>(node * columns + c)] = y;
    }
  }
  return graph;
}

// The losses were 0 in all epochs, and the model the random one.
TEST(TrainerTest, NoTrainingLabelEndsBeforeTheFirstStep) {
  const std::tuple<NodeTaskKind, int64_t, int64_t> cases[] = {
      {NodeTaskKind::kClassification, 1, 0},
      {NodeTaskKind::kClassification, 1, 3},
      {NodeTaskKind::kMultiLabel, 3, 0},
      {NodeTaskKind::kRegression, 1, 0},
      {NodeTaskKind::kRegression, 2, 0}};
  for (const auto& [kind, columns, classes] : cases) {
    for (const bool own_loader : {false, true}) {
      Job job;
      job.options.task = kind;
      job.options.num_classes = classes;
      job.train_graph = GraphWithLabels(NAN, columns);
      if (own_loader) job.labels_graph = job.train_graph;
      const absl::Status status = job.Run().status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_EQ(status.message().substr(0, 32),
                "no training input has a label; a");
      EXPECT_EQ(job.reports.rounds["train"], 0);
    }
  }
}

// Only the last training node has a label: all batches before it have none.
TEST(TrainerTest, OneTrainingLabelIsEnough) {
  for (const NodeTaskKind kind :
       {NodeTaskKind::kMultiLabel, NodeTaskKind::kRegression}) {
    Job job;
    job.options.task = kind;
    job.loader_options.batch_size = 5;
    job.with_valid = false;
    auto graph = GraphWithLabels(NAN, 1);
    graph->float_y[static_cast<size_t>(graph->splits["train"].back())] = 1;
    job.train_graph = graph;
    job.loader_options.shuffle = ShuffleMode::kNone;
    (void)job.Run();
    ASSERT_EQ(job.reports.epochs.size(), 4);
    EXPECT_GT(job.reports.epochs[0].loss, 0);
  }
}

TEST(TrainerTest, FloatLabelsWithNanAreClasses) {
  const auto losses = [](bool as_float) {
    Job job;
    auto graph = SmallGraph();
    if (as_float) {
      graph->float_y.assign(graph->y.begin(), graph->y.end());
      graph->float_y[0] = NAN;
    } else {
      graph->y[0] = -1;
    }
    job.train_graph = graph;
    const auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    std::vector<double> values;
    for (const auto& e : job.reports.epochs) values.push_back(e.loss);
    return values;
  };
  EXPECT_EQ(losses(true), losses(false));
}

TEST(TrainerTest, LabelsOutsideTheClassesAreCountedOnce) {
  Job job;
  auto graph = SmallGraph();
  for (size_t i = 0; i < 7; ++i) {
    graph->y[static_cast<size_t>(graph->splits["valid"][i])] = 9;
  }
  job.valid_graph = graph;
  ASSERT_TRUE(job.Run().ok());
  EXPECT_EQ(job.reports.notes,
            std::vector<std::string>{
                "7 inputs of valid have a label outside the model's classes 0 "
                "to 3 (those of the training inputs), and count as wrong"});
}

TEST(TrainerTest, Bfloat16IsNearFloat32) {
  const auto run = [](const std::string& amp) {
    Job job;
    job.options.amp = amp;
    job.options.learning_rate = 0.02;
    job.loader_options.batch_size = 16;
    auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    std::vector<double> losses;
    for (const EpochReport& e : job.reports.epochs) losses.push_back(e.loss);
    return losses;
  };
  const std::vector<double> exact = run("none");
  const std::vector<double> mixed = run("bf16");
  EXPECT_NE(exact, mixed);
  EXPECT_EQ(mixed, run("bf16"));
  ASSERT_EQ(exact.size(), mixed.size());
  for (size_t i = 0; i < exact.size(); ++i) {
    EXPECT_NEAR(exact[i], mixed[i], 0.02) << i;
  }
}

TEST(TrainerTest, OtherMixedPrecisionIsRefused) {
  Job job;
  job.options.amp = "fp16";
  EXPECT_EQ(job.Run().status().message(),
            "amp is \"fp16\", allowed are none and bf16 (float16 would need a "
            "scaled loss)");
}

TEST(TrainerTest, BlocksOfDglTrainToo) {
  Job job;
  job.options.epochs = 20;
  job.options.learning_rate = 0.02;
  job.options.expand_all = job.loader_options.expand_all = true;
  job.loader_options.num_neighbors = {4, 4};
  job.loader_options.batch_size = 16;
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GE(*result->test, 0.9);
}

// Steps so large that the accuracy goes up and down.
TEST(TrainerTest, TestAccuracyIsOfTheBestEpochsParameters) {
  const auto run = [](uint64_t epochs, bool with_valid) {
    Job job;
    job.options.epochs = epochs;
    job.options.learning_rate = 0.1;
    job.loader_options.num_neighbors = {2, 2};
    job.loader_options.batch_size = 8;
    job.with_valid = with_valid;
    auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  };
  const TrainResult whole = run(12, true);
  ASSERT_LT(whole.best_epoch, 11);
  // Without validation the parameters are those of the last epoch, which here
  // are of another accuracy: so the comparison below can fail.
  EXPECT_NE(*whole.test, *run(12, false).test);
  const TrainResult until_best = run(whole.best_epoch + 1, false);
  EXPECT_EQ(*whole.test, *until_best.test);
}

TEST(TrainerTest, SavesTheBestEpochsParameters) {
  const auto model_of = [](const std::string& name, uint64_t epochs) {
    Job job;
    job.options.epochs = epochs;
    job.options.learning_rate = 0.1;
    job.loader_options.num_neighbors = {2, 2};
    job.options.save_model = Folder(name);
    auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return std::pair(ReadFile(Folder(name)), result->best_epoch);
  };
  const auto [whole, best] = model_of("whole.safetensors", 12);
  ASSERT_LT(best, 11);
  EXPECT_EQ(model_of("best.safetensors", best + 1).first, whole);
}

// Each input twice, one after the other: a batch has half as many nodes as
// inputs, so the first rows are not those of the inputs.
TEST(TrainerTest, LabelsAreThoseOfTheInputsRows) {
  const auto run = [](int times) {
    const auto repeated = [times](const std::string& split) {
      auto graph = SmallGraph();
      const std::vector<int64_t> ids = graph->splits[split];
      graph->splits[split].clear();
      for (int64_t id : ids) {
        graph->splits[split].insert(graph->splits[split].end(), times, id);
      }
      return graph;
    };
    Job job;
    job.loader_options.shuffle = ShuffleMode::kNone;
    job.loader_options.batch_size = 9 * times;
    job.train_graph = repeated("train");
    job.valid_graph = repeated("valid");
    auto result = job.Run();
    EXPECT_TRUE(result.ok()) << result.status();
    return std::pair(job.reports.epochs, *result->best_valid);
  };
  const auto [once, valid_once] = run(1);
  const auto [twice, valid_twice] = run(2);
  EXPECT_EQ(twice[0].inputs, 2 * once[0].inputs);
  ASSERT_EQ(once.size(), twice.size());
  for (size_t e = 0; e < once.size(); ++e) {
    EXPECT_NEAR(once[e].loss, twice[e].loss, 1e-5) << e;
    EXPECT_EQ(once[e].train_accuracy, twice[e].train_accuracy) << e;
  }
  EXPECT_EQ(valid_once, valid_twice);
}

// A graph of two communities whose validation nodes have the label alone.
std::shared_ptr<InMemoryGraph> ValidOfOneClass(int64_t label) {
  auto graph = std::make_shared<InMemoryGraph>(CommunityGraph(2, 40, 1));
  for (const int64_t id : graph->splits["valid"]) graph->y[id] = label;
  return graph;
}

TEST(TrainerTest, ASplitThatLeavesTheMetricUndefinedCostsNoModel) {
  for (const auto& [metric, label, why] :
       {std::tuple(Metric(Metric::kRocAuc), int64_t{1},
                   "rocauc is not defined on the split later: no task has rows "
                   "labelled 0 and rows labelled 1"),
        std::tuple(Metric(Metric::kAccuracy), int64_t{-1},
                   "accuracy is not defined on the split later: no input has "
                   "a label; the last epoch's model is taken")}) {
    Job job;
    job.train_graph = ValidOfOneClass(0);
    job.valid_graph = ValidOfOneClass(label);
    job.test_graph = job.train_graph;
    job.valid_name = "later";
    job.options.metric = metric;
    job.options.num_classes = 2;
    job.options.early_stopping = EarlyStoppingOptions{.patience = 1};
    job.options.save_model = Folder(absl::StrCat(NameOf(metric), ".st"));
    const auto result = job.Run();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->best_valid, std::nullopt);
    EXPECT_TRUE(result->test.has_value());
    ASSERT_EQ(job.reports.epochs.size(), 4U);
    EXPECT_EQ(job.reports.epochs[3].valid, std::nullopt);
    EXPECT_EQ(result->best_epoch, 3U);
    EXPECT_NE(ReadFile(job.options.save_model), "");
    ASSERT_EQ(job.reports.notes.size(), 1U);
    EXPECT_NE(job.reports.notes[0].find(why), std::string::npos)
        << job.reports.notes[0];
  }
}

// Labels of 0 and 1 in two columns, but none in the split `unlabelled`.
std::shared_ptr<InMemoryGraph> UnlabelledSplit(const std::string& unlabelled) {
  auto graph = SmallGraph();
  graph->label_columns = 2;
  for (int64_t node = 0; node < graph->num_nodes; ++node) {
    const auto label = static_cast<float>(node / 3 % 2);
    graph->float_y.insert(graph->float_y.end(), {label, 1 - label});
  }
  for (const int64_t node : graph->splits[unlabelled]) {
    for (int64_t c : {0, 1}) {
      graph->float_y[static_cast<size_t>(2 * node + c)] = NAN;
    }
  }
  return graph;
}

// No metric is a 0 then, by which a model would be chosen or judged.
TEST(TrainerTest, ASplitWithoutLabelsIsNotedBeforeTheFirstEpoch) {
  for (const auto& [kind, metric] :
       {std::pair(NodeTaskKind::kMultiLabel, Metric::kRocAuc),
        std::pair(NodeTaskKind::kMultiLabel, Metric::kAveragePrecision),
        std::pair(NodeTaskKind::kMultiLabel, Metric::kF1Micro),
        std::pair(NodeTaskKind::kMultiLabel, Metric::kF1Macro),
        std::pair(NodeTaskKind::kRegression, Metric::kRmse),
        std::pair(NodeTaskKind::kRegression, Metric::kMae)}) {
    SCOPED_TRACE(NameOf(Metric(metric)));
    for (const std::string split : {"valid", "test"}) {
      Job job;
      job.options.task = kind;
      job.options.metric = Metric(metric);
      job.options.early_stopping = EarlyStoppingOptions{.patience = 1};
      job.loader_options.batch_size = 5;
      job.train_graph = job.valid_graph = job.test_graph =
          UnlabelledSplit(split);
      size_t notes_at_first_round = 0;
      job.reports.on_round = [&](std::string_view phase, int round) {
        if (phase == "train" && round == 1) {
          notes_at_first_round = job.reports.notes.size();
        }
      };
      const auto result = job.Run();
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(notes_at_first_round, 1U);
      ASSERT_EQ(job.reports.notes.size(), 1U);
      EXPECT_NE(job.reports.notes[0].find(absl::StrCat(
                    NameOf(Metric(metric)), " is not defined on the split ",
                    split, ": no input has a label")),
                std::string::npos)
          << job.reports.notes[0];
      EXPECT_EQ(job.reports.rounds[split], 0);  // nothing is read for nothing
      const bool valid = split == "valid";
      EXPECT_EQ(result->best_valid.has_value(), !valid);
      EXPECT_EQ(result->test.has_value(), valid);
      if (valid) {
        EXPECT_EQ(job.reports.epochs.size(), 4U);
        EXPECT_EQ(job.reports.epochs[0].valid, std::nullopt);
      }
    }
  }
}

// Only the last input has one: no batch before it.
TEST(TrainerTest, OneLabelOfASplitIsEnough) {
  Job job;
  job.options.task = NodeTaskKind::kRegression;
  job.loader_options.batch_size = 5;
  job.loader_options.shuffle = ShuffleMode::kNone;
  auto graph = UnlabelledSplit("valid");
  graph->float_y[static_cast<size_t>(2 * graph->splits["valid"].back())] = 1;
  job.train_graph = job.valid_graph = job.test_graph = graph;
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->best_valid.has_value());
  EXPECT_TRUE(job.reports.notes.empty());
}

TEST(TrainerTest, ABatchThatFailsEndsTheRunWithItsCause) {
  Job job;
  job.loader_options.batch_size = 16;
  job.faults.fail_at = 2;
  const auto result = job.Run();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(result.status().message(), "batch 2 is broken");
}

TEST(TrainerTest, CancelEndsAWait) {
  Job job;
  job.loader_options.batch_size = 16;
  job.options.num_classes = 4;
  job.faults.hang_at = 1;
  std::thread canceller([&] {
    while (!job.loader_made.load()) std::this_thread::yield();
    job.Cancel();
  });
  EXPECT_EQ(job.Run().status().code(), absl::StatusCode::kCancelled);
  canceller.join();
}

TEST(TrainerTest, ClassesAreCountedByTheLabelsLoaderWhichIsThenLetGo) {
  Job job;
  job.loader_options.batch_size = 16;
  job.labels_graph = SmallGraph();
  const auto result = job.Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(job.reports.rounds["classes"], 4);  // of 16, 16, 16 and 6
  EXPECT_EQ(job.train_stats().batches, 4 * 4);  // the epochs alone
  EXPECT_FALSE(job.holds_labels());
}

TEST(TrainerTest, ALabelBeyondAllClassesIsNamed) {
  Job job;
  job.loader_options.batch_size = 16;
  auto graph = SmallGraph();
  graph->y[3] = int64_t{1} << 24;  // a training input
  job.labels_graph = graph;
  const auto result = job.Run();
  EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(result.status().message(),
            "a training input has the label 16777216, allowed are 0 to "
            "16777215");
}

TEST(TrainerTest, NamesWhatIsWrong) {
  Job job;
  job.options.model.dropout = 1;
  EXPECT_EQ(job.Run().status().message(),
            "dropout is 1, allowed are 0 to 0.999");
}

TEST(TrainerTest, NamesAnAccumulationOfNothing) {
  Job job;
  job.options.accumulate = 0;
  EXPECT_EQ(job.Run().status().message(),
            "accumulate is 0, allowed are 1 to 1048576");
}

}  // namespace
}  // namespace tributary
