#include "trainer_client/torch/checkpoint/durable_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "common/runtime/fault_point.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

class DurableFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = absl::StrCat(testing::TempDir(), "/durable_files");
    fs::remove_all(root_);
    fs::create_directory(root_);
  }
  std::string In(const std::string& name) const { return root_ + "/" + name; }
  void Touch(const std::string& name) const { std::ofstream(In(name)) << "x"; }
  std::vector<std::string> Names(const std::string& folder) const {
    return *ListFolder(folder.empty() ? root_ : In(folder));
  }

  std::string root_;
};

using NameList = std::vector<std::string>;

TEST_F(DurableFilesTest, ExchangesFolders) {
  for (const char* name : {"a", "b"}) ASSERT_TRUE(CreateFolder(In(name)).ok());
  Touch("a/new");
  Touch("b/old");
  ASSERT_TRUE(ExchangeFolders(In("a"), In("b")).ok());
  EXPECT_EQ(Names("b"), NameList{"new"});
  EXPECT_EQ(Names("a"), NameList{"old"});
  ASSERT_TRUE(ExchangeFolders(In("b"), In("c")).ok());
  EXPECT_EQ(Names(""), (NameList{"a", "c"}));
  EXPECT_EQ(Names("c"), NameList{"new"});
}

TEST_F(DurableFilesTest, RenameReplacesNoFolder) {
  for (const char* name : {"a", "b"}) ASSERT_TRUE(CreateFolder(In(name)).ok());
  Touch("b/x");
  const absl::Status status = RenamePath(In("a"), In("b"));
  EXPECT_FALSE(status.ok());
  EXPECT_NE(std::string(status.message()).find(In("b")), std::string::npos);
}

TEST_F(DurableFilesTest, RemovesTreesAndFollowsNoLink) {
  ASSERT_TRUE(CreateFolder(In("kept")).ok());
  Touch("kept/x");
  ASSERT_TRUE(CreateFolder(In("a")).ok());
  ASSERT_TRUE(CreateFolder(In("a/b")).ok());
  Touch("a/b/x");
  fs::create_symlink(In("kept"), In("a/link"));
  ASSERT_TRUE(RemoveTree(In("a")).ok());
  EXPECT_EQ(Names(""), NameList{"kept"});
  EXPECT_EQ(Names("kept"), NameList{"x"});
  EXPECT_TRUE(RemoveTree(In("a")).ok());
}

TEST_F(DurableFilesTest, EveryChangePassesTheFaultPoint) {
  Touch("x");
  ScopedFault fault("checkpoint.disk", [] { return absl::AbortedError("x"); });
  for (const absl::Status& status :
       {CreateFolder(In("a")), WriteNewFile(In("a"), {}), SyncPath(In("x")),
        RenamePath(In("x"), In("y")), ExchangeFolders(In("x"), In("y")),
        RemoveTree(In("x"))}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kAborted) << status;
  }
  EXPECT_EQ(Names(""), NameList{"x"});
}

TEST_F(DurableFilesTest, ErrorsNameThePath) {
  Touch("x");
  for (const absl::Status& status :
       {CreateFolder(In("none/a")), CreateFolder(In("x")),
        WriteNewFile(In("x"), {}), SyncPath(In("none")),
        RenamePath(In("none"), In("b")), ListFolder(In("none")).status()}) {
    EXPECT_FALSE(status.ok());
    EXPECT_NE(std::string(status.message()).find(root_), std::string::npos)
        << status;
  }
  EXPECT_EQ(ParentFolder("a/b"), "a");
  EXPECT_EQ(ParentFolder("a"), ".");
}

}  // namespace
}  // namespace tributary
