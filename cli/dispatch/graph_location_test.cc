#include "cli/dispatch/graph_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

class GraphLocationTest : public ::testing::Test {
 protected:
  GraphLocationTest()
      : base_(absl::StrCat(
            ::testing::TempDir(), "/graph_location_",
            ::testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  void Touch(const std::string& path) {
    const std::filesystem::path whole(absl::StrCat(base_, "/", path));
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << "{}";
  }
  std::string Find(const std::string& part_config) {
    const auto found = FindGraph(base_, part_config);
    return found.ok() ? *found : std::string(found.status().message());
  }

  const std::string base_;
};

TEST_F(GraphLocationTest, TheFolderAndItsFile) {
  Touch("data/mag/graph.json");
  EXPECT_EQ(Find("data/mag"), "data/mag");
  EXPECT_EQ(Find("data/mag//"), "data/mag");
  EXPECT_EQ(Find("data/mag/graph.json"), "data/mag");
  EXPECT_EQ(FindGraph("", absl::StrCat(base_, "/data/mag")).value(),
            absl::StrCat(base_, "/data/mag"));
}

TEST_F(GraphLocationTest, TheNameThatDglWouldHave) {
  Touch("data/graph.json");
  EXPECT_EQ(Find("data/ogbn-mag.json"), "data");
  Touch("data/ogbn-mag/graph.json");
  EXPECT_EQ(Find("data/ogbn-mag.json"), "data/ogbn-mag");
  Touch("graph.json");
  EXPECT_EQ(Find("x.json"), ".");
  EXPECT_EQ(Find("graph.json"), ".");
}

TEST_F(GraphLocationTest, WhatIsThereInsteadIsNamed) {
  Touch("data/ogbn-mag.json");
  EXPECT_THAT(Find("data/ogbn-mag.json"), HasSubstr("tributary_export.py"));
  EXPECT_THAT(Find("other/mag.json"),
              HasSubstr("/other/mag/graph.json and no "));
}

}  // namespace
}  // namespace tributary
