#include "cli/k8s/rendered_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/io/file_mapping.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Fresh(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  std::filesystem::remove_all(path);
  return path;
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Marked(const std::string& text) { return kRenderedMark + text; }

TEST(RenderedFolder, IsReplacedWhole) {
  const std::string parent = Fresh("replaced");
  std::filesystem::create_directories(parent);
  const std::string folder = parent + "/out";
  ASSERT_TRUE(
      WriteRenderedFolder(folder, {{"a", Marked("1")}, {"b", Marked("1")}})
          .ok());
  ASSERT_TRUE(
      WriteRenderedFolder(folder + "/", {{"b", Marked("2")}, {"c", Marked("")}})
          .ok());
  EXPECT_THAT(NamesIn(folder), ElementsAre("b", "c"));
  EXPECT_EQ(*ReadFile(folder + "/b", 1000), Marked("2"));
  EXPECT_THAT(NamesIn(parent), ElementsAre("out"));
}

TEST(RenderedFolder, RefusesWhatItHasNotWritten) {
  const std::string parent = Fresh("foreign");
  const std::string folder = parent + "/out";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/mine.yaml") << "kind: Secret\n";
  const absl::Status status = WriteRenderedFolder(folder, {{"a", Marked("")}});
  EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/out/mine.yaml"));
  EXPECT_THAT(NamesIn(folder), ElementsAre("mine.yaml"));

  std::filesystem::remove(folder + "/mine.yaml");
  std::filesystem::create_directories(folder + "/below");
  EXPECT_FALSE(WriteRenderedFolder(folder, {{"a", Marked("")}}).ok());

  std::ofstream(parent + "/file") << kRenderedMark;
  EXPECT_FALSE(WriteRenderedFolder(parent + "/file", {{"a", ""}}).ok());
  std::filesystem::create_symlink(folder, parent + "/link");
  EXPECT_FALSE(WriteRenderedFolder(parent + "/link", {{"a", ""}}).ok());
  EXPECT_THAT(NamesIn(parent), ElementsAre("file", "link", "out"));
}

}  // namespace
}  // namespace tributary
