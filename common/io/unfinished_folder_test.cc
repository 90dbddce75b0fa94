#include "common/io/unfinished_folder.h"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

class UnfinishedFolderTest : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directory(here_); }
  void TearDown() override { fs::remove_all(here_); }
  const std::string here_ =
      absl::StrCat(::testing::TempDir(), "/unfinished-", getpid());
};

TEST_F(UnfinishedFolderTest, GoesWithItsObject) {
  {
    auto folder = UnfinishedFolder::Create(here_ + "/a.");
    ASSERT_TRUE(folder.ok()) << folder.status();
    EXPECT_EQ(folder->path(), absl::StrCat(here_, "/a.", getpid(), "-0"));
    std::ofstream(folder->PathFor("b/c").value()) << "x";
    EXPECT_TRUE(fs::exists(folder->path() + "/b/c"));
    const auto other = UnfinishedFolder::Create(here_ + "/a.");
    EXPECT_EQ(other->path(), absl::StrCat(here_, "/a.", getpid(), "-1"));
  }
  EXPECT_TRUE(fs::is_empty(here_));
}

TEST_F(UnfinishedFolderTest, StaysOnceItIsRenamed) {
  {
    auto folder = UnfinishedFolder::Create(here_ + "/a.");
    ASSERT_TRUE(folder.ok()) << folder.status();
    std::ofstream(folder->PathFor("c").value()) << "x";
    fs::create_directory(here_ + "/taken");
    EXPECT_EQ(folder->RenameTo(here_ + "/taken").code(),
              absl::StatusCode::kAlreadyExists);
    ASSERT_TRUE(folder->RenameTo(here_ + "/done").ok());
    EXPECT_EQ(folder->path(), "");
  }
  EXPECT_TRUE(fs::exists(here_ + "/done/c"));
  EXPECT_EQ(std::distance(fs::directory_iterator(here_), {}), 2);
}

// Four threads make file after file while the folder is removed below them.
[[noreturn]] void WriteAndBeEnded(const std::string& here) {
  auto folder = UnfinishedFolder::Create(here + "/a.");
  auto done = UnfinishedFolder::Create(here + "/b.");
  if (!done->RenameTo(here + "/done").ok()) _exit(1);
  std::atomic<int> begun = 0;
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&, t] {
      for (int i = 0;; ++i) {
        const auto path = folder->PathFor(absl::StrCat(t, "/", i % 7, "/", i));
        std::ofstream(path.value()) << i;
        ++begun;
      }
    });
  }
  while (begun < 100) std::this_thread::yield();
  RemoveUnfinishedFoldersAndExit(43);
}

TEST_F(UnfinishedFolderTest, IsRemovedUnderTheHandsOfThoseWhoWrite) {
  GTEST_FLAG_SET(death_test_style, "fast");  // the same folder there
  EXPECT_EXIT(WriteAndBeEnded(here_), ::testing::ExitedWithCode(43), "");
  const auto left = fs::directory_iterator(here_);
  ASSERT_NE(left, fs::directory_iterator());
  EXPECT_EQ(left->path(), here_ + "/done");
  EXPECT_EQ(std::distance(fs::directory_iterator(here_), {}), 1);
}

}  // namespace
}  // namespace tributary
