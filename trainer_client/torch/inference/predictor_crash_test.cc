// Layer-wise predictions that end at any change of the disk, as a crash ends
// them: the same command goes on, and gives the same bytes.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/runtime/fault_point.h"
#include "trainer_client/torch/inference/loader_slot.h"
#include "trainer_client/torch/inference/predictor.h"
#include "trainer_client/torch/testing/train_job.h"

namespace tributary {
namespace {

class InMemorySource final : public BatchSource {
 public:
  absl::StatusOr<std::unique_ptr<DistLoader>> Open(
      const SessionOptions& session) override {
    NeighborLoaderOptions options;
    static_cast<CommonLoaderOptions&>(options) = session;
    static_cast<NeighborOptions&>(options) =
        std::get<NeighborOptions>(session.kind);
    return MakeInMemoryLoader(SmallGraph(), options);
  }
};

// Trains a little and predicts all nodes into `out`, by three layers.
absl::Status Predict(const std::string& out) {
  Job job;
  job.options.epochs = 1;
  job.options.model.num_layers = 3;
  job.loader_options.num_neighbors = {2, 2, 2};
  PredictOptions options{.out = out,
                         .loader = job.loader_options,
                         .eval_num_neighbors = {-1, -1, -1},
                         .batch_size = 48};
  options.target = ParsePredictionTarget("*").value();
  InMemorySource source;
  LoaderSlot slot(&source);
  Predictor predictor(options, job.options, &slot, &job.group(), &job.reports);
  return job.Run(&predictor).status();
}

// The same after `changes` changes of the disk, with which it ends.
absl::Status PredictUntil(const std::string& out, int changes) {
  ScopedFault fault("checkpoint.disk", [&] {
    return changes-- > 0 ? absl::OkStatus() : absl::AbortedError("crash");
  });
  return Predict(out);
}

std::map<std::string, std::string> ResultIn(const std::string& out) {
  std::map<std::string, std::string> files;
  for (const char* name : {"ids.npy", "predictions.npy", "embeddings.npy"}) {
    files[name] = ReadFile(absl::StrCat(out, "/", name));
    EXPECT_FALSE(files[name].empty()) << out << "/" << name;
  }
  return files;
}

TEST(PredictorCrashTest, GoesOnAfterACrashAtAnyChangeOfTheDisk) {
  ASSERT_EQ(Predict(Folder("whole")), absl::OkStatus());
  const auto expected = ResultIn(Folder("whole"));
  int changes = 0;
  for (;; ++changes) {
    SCOPED_TRACE(changes);
    const std::string out = Folder(absl::StrCat("crash", changes));
    const absl::Status first = PredictUntil(out, changes);
    if (first.ok()) break;
    ASSERT_EQ(first.message(), "crash");
    const absl::Status again = Predict(out);
    // Only the rows of layers are left to remove then.
    const bool complete = absl::IsFailedPrecondition(again);
    EXPECT_TRUE(again.ok() || complete) << again;
    EXPECT_EQ(ResultIn(out), expected);
    std::filesystem::remove_all(out);
  }
  EXPECT_GT(changes, 12);  // 2 layers are noted, and files removed and renamed
}

}  // namespace
}  // namespace tributary
