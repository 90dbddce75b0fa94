#include "trainer_client/torch/train/resume_after_restart.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "trainer_client/torch/checkpoint/checkpoint_writer.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {
namespace {

std::string ResumeOf(int attempt, CheckpointOptions options) {
  auto group = ProcessGroup::Connect(RankEnvironment(), absl::Seconds(1));
  EXPECT_TRUE(group.ok());
  EXPECT_TRUE(ResumeAfterRestart(attempt, **group, &options).ok());
  return options.resume;
}

TEST(ResumeAfterRestartTest, GoesOnFromTheFolderOnlyAfterARestart) {
  const std::string folder =
      std::string(std::getenv("TEST_TMPDIR")) + "/checkpoints";
  // Nothing was written before the first failure.
  EXPECT_EQ(ResumeOf(1, {.folder = folder}), "");
  EXPECT_EQ(ResumeOf(1, {.folder = folder, .resume = "old"}), "old");

  auto writer = CheckpointWriter::Create(folder, 7);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->Commit(CheckpointManifest(), 2).ok());
  EXPECT_EQ(ResumeOf(0, {.folder = folder}), "");
  EXPECT_EQ(ResumeOf(0, {.folder = folder, .resume = "old"}), "old");
  EXPECT_EQ(ResumeOf(1, {.folder = folder}), folder);
  EXPECT_EQ(ResumeOf(2, {.folder = folder, .resume = "old"}), folder);
  EXPECT_EQ(ResumeOf(2, {}), "");
}

}  // namespace
}  // namespace tributary
