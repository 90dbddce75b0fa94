#include "trainer_client/torch/checkpoint/checkpoint_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/fault_point.h"
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/checkpoint/durable_files.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using Code = absl::StatusCode;
using NameList = std::vector<std::string>;

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Writes a checkpoint whose file says `text`.
absl::Status WriteCheckpoint(const std::string& root, uint64_t step,
                             const std::string& text, size_t keep) {
  auto writer = CheckpointWriter::Create(root, step);
  if (!writer.ok()) return writer.status();
  std::ofstream(*writer->PathFor("model")) << text;
  return writer->Commit({.epoch = step / 10}, keep);
}

class CheckpointWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = absl::StrCat(testing::TempDir(), "/checkpoint_writer/root");
    fs::remove_all(ParentFolder(root_));
  }
  void Write(uint64_t step, size_t keep = CheckpointWriter::kKeep) {
    const absl::Status status =
        WriteCheckpoint(root_, step, absl::StrCat(step), keep);
    ASSERT_TRUE(status.ok()) << status;
  }

  std::string root_;
};

TEST_F(CheckpointWriterTest, WritesAFolder) {
  auto writer = CheckpointWriter::Create(root_, 1200);
  ASSERT_TRUE(writer.ok()) << writer.status();
  EXPECT_EQ(writer->path(), root_ + "/step-000000001200");
  const auto path = writer->PathFor("b");
  EXPECT_EQ(*path, root_ + "/.tmp-step-000000001200/b");
  std::ofstream(*path) << "abc";
  std::ofstream(*writer->PathFor("a"));
  CheckpointManifest manifest{.created_by = "test", .step = 7, .epoch = 3};
  ASSERT_TRUE(writer->Commit(manifest).ok());
  EXPECT_TRUE(writer->committed());

  EXPECT_EQ(*ListFolder(root_), NameList{"step-000000001200"});
  EXPECT_EQ(*ListFolder(writer->path()),
            (NameList{"a", "b", "checkpoint.json"}));
  const auto read = ReadCheckpoint(writer->path());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->manifest.step, 1200);
  EXPECT_EQ(read->manifest.created_by, "test");
  EXPECT_EQ(read->manifest.files,
            (std::vector<CheckpointFile>{{"a", 0, Sha256Of("")},
                                         {"b", 3, Sha256Of("abc")}}));
}

TEST_F(CheckpointWriterTest, WithoutCommitNothingRemains) {
  {
    auto writer = CheckpointWriter::Create(root_, 1);
    ASSERT_TRUE(writer.ok());
    const CheckpointWriter moved = *std::move(writer);
    EXPECT_FALSE(ListFolder(root_)->empty());
  }
  EXPECT_TRUE(ListFolder(root_)->empty());
}

TEST_F(CheckpointWriterTest, KeepsTheNewest) {
  for (uint64_t step : {10, 20, 30}) Write(step);
  EXPECT_EQ(*ListFolder(root_),
            (NameList{"step-000000000020", "step-000000000030"}));
  Write(40, 1);
  EXPECT_EQ(*ListFolder(root_), NameList{"step-000000000040"});
  Write(50, 9);
  EXPECT_EQ(ListFolder(root_)->size(), 2);
}

TEST_F(CheckpointWriterTest, ReplacesTheSameStep) {
  Write(10);
  ASSERT_TRUE(WriteCheckpoint(root_, 10, "again", 2).ok());
  EXPECT_EQ(*ListFolder(root_), NameList{"step-000000000010"});
  EXPECT_EQ(Content(FindCheckpoint(root_)->found->PathOf("model")), "again");
}

TEST_F(CheckpointWriterTest, RefusesToWriteBeforeALaterCheckpoint) {
  Write(10);
  Write(20);
  const absl::Status status = WriteCheckpoint(root_, 15, "", 2);
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_NE(std::string(status.message())
                .find("step-000000000020 is a checkpoint of more steps than "
                      "the 15 of this run"),
            std::string::npos)
      << status;
  // A damaged one does not count, and is not removed either.
  std::ofstream(root_ + "/step-000000000020/model") << "damaged";
  Write(15, 1);
  EXPECT_EQ(*ListFolder(root_),
            (NameList{"step-000000000015", "step-000000000020"}));
  Write(20, 1);
  EXPECT_EQ(*ListFolder(root_), NameList{"step-000000000020"});
}

TEST_F(CheckpointWriterTest, OneWriterAtATime) {
  auto first = CheckpointWriter::Create(root_, 1);
  ASSERT_TRUE(first.ok());
  const absl::Status status = CheckpointWriter::Create(root_, 2).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_NE(std::string(status.message()).find(root_), std::string::npos);
}

TEST_F(CheckpointWriterTest, Errors) {
  auto writer = CheckpointWriter::Create(root_, 1);
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(writer->PathFor("../x").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Commit({}, 0).code(), Code::kInvalidArgument);
  ASSERT_TRUE(writer->PathFor("never").ok());
  const absl::Status status = writer->Commit({});
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_NE(std::string(status.message()).find("/never"), std::string::npos);
  EXPECT_FALSE(writer->committed());
  EXPECT_FALSE(CheckpointWriter::Create("/dev/null/x", 1).ok());
}

// --- crashes
// ------------------------------------------------------------------- Ends all
// changes of the disk after `changes` of them, as a crash does, while
// checkpoint `step` is written. Returns whether it crashed.
bool CrashWhileWriting(const std::string& root, uint64_t step,
                       const std::string& text, size_t keep, int changes) {
  ScopedFault fault("checkpoint.disk", [&] {
    return changes-- > 0 ? absl::OkStatus() : absl::AbortedError("crash");
  });
  return !WriteCheckpoint(root, step, text, keep).ok();
}

struct CrashCase {
  uint64_t step;  // that is written where 10 and 20 are
  size_t keep;
};

class CrashTest : public CheckpointWriterTest,
                  public testing::WithParamInterface<CrashCase> {};

// After any crash a resumed run finds the checkpoint before, or the new one,
// with its own data; and the next writer removes what was left.
TEST_P(CrashTest, LeavesAUsableCheckpointAndTheNextWriterCleansUp) {
  const auto [step, keep] = GetParam();
  Write(10);
  Write(20);
  const std::string begin = root_ + "-at-the-beginning";
  fs::rename(root_, begin);
  bool crashed = true;
  int changes = 0, before = 0, left_over = 0;
  for (; crashed; ++changes) {
    ASSERT_LT(changes, 100);
    fs::remove_all(root_);
    fs::copy(begin, root_, fs::copy_options::recursive);
    crashed = CrashWhileWriting(root_, step, "new", keep, changes);

    const auto search = FindCheckpoint(root_);
    ASSERT_TRUE(search.ok() && search->found) << changes;
    const std::string content = Content(search->found->PathOf("model"));
    if (content != "new") {
      ++before;
      EXPECT_EQ(search->found->manifest.step, 20);
      EXPECT_EQ(content, "20");
    } else {
      EXPECT_EQ(search->found->manifest.step, step);
    }
    for (const RefusedCheckpoint& refused : search->refused) {
      EXPECT_EQ(refused.why.code(), Code::kNotFound) << refused.why;
    }
    const NameList names = *ListFolder(root_);
    left_over += names.front()[0] == '.' ? 1 : 0;

    Write(40, 2);
    const NameList after = *ListFolder(root_);
    EXPECT_EQ(after.size(), 2) << changes;
    EXPECT_EQ(after.back(), "step-000000000040");
    EXPECT_EQ(after.front()[0], 's');
  }
  EXPECT_GT(before, 5);
  EXPECT_GT(changes - before, 3);
  EXPECT_GT(left_over, 3);
}

INSTANTIATE_TEST_SUITE_P(All, CrashTest,
                         testing::Values(CrashCase{30, 2}, CrashCase{30, 1},
                                         CrashCase{20, 2}, CrashCase{20, 1}));

}  // namespace
}  // namespace tributary
