// What needs a GPU: skipped by name where there is none.
#include <gtest/gtest.h>

#include "common/text/status.h"
#include "trainer_client/torch/testing/train_job.h"
#include "trainer_client/torch/train/train_device.h"

namespace tributary {
namespace {

absl::StatusOr<std::vector<double>> LossesOn(const std::string& device,
                                             const std::string& model) {
  Job job;
  job.options.device = device;
  job.options.model.model = model;
  job.loader_options.num_neighbors = {5, 5};
  job.loader_options.batch_size = 16;
  RETURN_IF_ERROR(job.Run().status());
  std::vector<double> losses;
  for (const EpochReport& epoch : job.reports.epochs) {
    losses.push_back(epoch.loss);
  }
  return losses;
}

class GpuTest : public ::testing::TestWithParam<const char*> {
  void SetUp() override {
    TrainOptions options;
    options.device = "cuda";
    const absl::Status found = OpenTrainDevice(options, 0);
    if (!found.ok()) GTEST_SKIP() << found;
  }
};

TEST_P(GpuTest, TrainsAsOnTheCpu) {
  const auto cpu = LossesOn("cpu", GetParam());
  const auto gpu = LossesOn("cuda", GetParam());
  ASSERT_TRUE(cpu.ok()) << cpu.status();
  ASSERT_TRUE(gpu.ok()) << gpu.status();
  ASSERT_EQ(gpu->size(), cpu->size());
  for (size_t i = 0; i < cpu->size(); ++i) {
    EXPECT_NEAR((*gpu)[i], (*cpu)[i], 1e-3 * (*cpu)[i]) << "epoch " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GpuTest,
                         ::testing::Values("sage", "gat", "rgcn"));

}  // namespace
}  // namespace tributary
