#include "cli/sample/sample_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

class SampleFilesTest : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  // The names in `folder`.
  static std::vector<std::string> NamesIn(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  const std::string folder_ =
      absl::StrCat(::testing::TempDir(), "/sample_files-", getpid());
};

AlignedBuffer OneBatch() {
  BatchLayout layout({.epoch = 2, .index = 7});
  layout.Add("n_id", DType::kInt64, {2});
  AlignedBuffer room(layout.Finish());
  std::fill(room.span().begin(), room.span().end(), 0);
  layout.WriteHeader(room.span());
  return room;
}

TEST_F(SampleFilesTest, WritesAFileABatchAndLeavesNothingElse) {
  const std::string out = folder_ + "/made/with/parents";
  AlignedBuffer room = OneBatch();
  const auto view = BatchView::Parse(room.span());
  ASSERT_TRUE(view.ok()) << view.status();
  for (int i = 0; i < 2; ++i) {  // again into the same folder
    const auto files = SampleFiles::In(out);
    ASSERT_TRUE(files.ok()) << files.status();
    ASSERT_TRUE(files->Write(*view).ok());
  }
  EXPECT_EQ(NamesIn(out), std::vector<std::string>{"batch-2-7.npz"});
}

TEST_F(SampleFilesTest, NamesAFolderThatCannotBe) {
  fs::create_directories(folder_);
  std::ofstream(folder_ + "/file") << "x";
  for (const char* path : {"/file", "/file/below"}) {
    const auto files = SampleFiles::In(folder_ + path);
    ASSERT_FALSE(files.ok()) << path;
    EXPECT_NE(files.status().message().find(folder_ + path), std::string::npos);
  }
}

TEST_F(SampleFilesTest, AFailedWriteLeavesNothing) {
  AlignedBuffer room = OneBatch();
  const auto view = BatchView::Parse(room.span());
  ASSERT_TRUE(view.ok()) << view.status();
  {
    const auto files = SampleFiles::In(folder_);
    ASSERT_TRUE(files.ok()) << files.status();
    fs::create_directories(folder_ + "/batch-2-7.npz/in-the-way");
    EXPECT_FALSE(files->Write(*view).ok());
  }
  EXPECT_EQ(NamesIn(folder_), std::vector<std::string>{"batch-2-7.npz"});
}

}  // namespace
}  // namespace tributary
