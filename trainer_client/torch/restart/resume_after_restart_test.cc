#include "trainer_client/torch/restart/resume_after_restart.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "trainer_client/torch/checkpoint/checkpoint_writer.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {
namespace {

std::string ResumeOf(int attempt, const std::string& folder,
                     const std::string& resume) {
  auto group = ProcessGroup::Connect(RankEnvironment(), absl::Seconds(1));
  EXPECT_TRUE(group.ok());
  const auto found = ResumeAfterRestart(attempt, folder, resume, **group);
  EXPECT_TRUE(found.ok()) << found.status();
  return found.value_or("error");
}

TEST(ResumeAfterRestartTest, GoesOnFromTheFolderOnlyAfterARestart) {
  const std::string folder =
      std::string(std::getenv("TEST_TMPDIR")) + "/checkpoints";
  // Nothing was written before the first failure.
  EXPECT_EQ(ResumeOf(1, folder, ""), "");
  EXPECT_EQ(ResumeOf(1, folder, "old"), "old");

  auto writer = CheckpointWriter::Create(folder, 7);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->Commit(CheckpointManifest(), 2).ok());
  EXPECT_EQ(ResumeOf(0, folder, ""), "");
  EXPECT_EQ(ResumeOf(0, folder, "old"), "old");
  EXPECT_EQ(ResumeOf(1, folder, ""), folder);
  EXPECT_EQ(ResumeOf(2, folder, "old"), folder);
  EXPECT_EQ(ResumeOf(2, "", "old"), "old");
}

// The same command line starts a run and goes on with it.
TEST(ResumeAfterRestartTest, AutomaticallyGoesOnInAnyAttempt) {
  const std::string folder =
      std::string(std::getenv("TEST_TMPDIR")) + "/automatic";
  EXPECT_EQ(ResumeOf(0, folder, "auto"), "");
  EXPECT_EQ(ResumeOf(1, folder, "auto"), "");
  auto writer = CheckpointWriter::Create(folder, 7);
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->Commit(CheckpointManifest(), 2).ok());
  EXPECT_EQ(ResumeOf(0, folder, "auto"), folder);
  EXPECT_EQ(ResumeOf(1, folder, "auto"), folder);
}

}  // namespace
}  // namespace tributary
