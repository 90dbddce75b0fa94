#include "cli/fleet/folder_checks.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t kGiB = uint64_t{1} << 30;
const MemoryLimit kPlenty{8 * kGiB, 8 * kGiB, "the machine"};

class FolderChecksTest : public ::testing::Test {
 protected:
  FolderChecksTest() : graph_(folder_.File("graph")) {
    GraphSpec spec;
    spec.num_nodes = 4;
    spec.edges = {{0, 1}, {1, 2}, {2, 3}};
    spec.num_partitions = 2;
    WriteGraphTo(spec, graph_);
  }
  // "ok what", "warn what", "fail what".
  std::vector<std::string> Levels(const MemoryLimit& memory) {
    std::vector<std::string> levels;
    for (const Check& check : CheckFolder(graph_, memory)) {
      const std::string line = check.ToString();
      levels.push_back(line.substr(0, line.find(' ')) + " " + check.what);
    }
    return levels;
  }

  TemporaryFolder folder_;
  const std::string graph_;
};

TEST_F(FolderChecksTest, AWholeFolder) {
  EXPECT_THAT(Levels(kPlenty), ElementsAre("ok graph.json", "ok lengths",
                                           "ok open", "ok memory"));
  EXPECT_THAT(CheckFolder(graph_, kPlenty)[0].detail,
              HasSubstr("test, 4 nodes, 3 edges, 2 partitions, content="));
}

TEST_F(FolderChecksTest, ACutAndALostFileAreNamed) {
  std::filesystem::resize_file(
      graph_ + "/part-0/edges/node__to__node/indices.npy", 10);
  std::filesystem::remove(graph_ + "/part-1/nodes/node/orig_id.npy");
  EXPECT_THAT(Levels(kPlenty), ElementsAre("ok graph.json", "fail lengths",
                                           "fail open", "ok memory"));
  const std::string detail = CheckFolder(graph_, kPlenty)[1].detail;
  EXPECT_THAT(detail, HasSubstr("2 of "));
  EXPECT_THAT(detail, HasSubstr("indices.npy has 10 bytes, not "));
  EXPECT_THAT(detail, HasSubstr("orig_id.npy: No such file or directory"));
}

TEST_F(FolderChecksTest, NoFolder) {
  const auto checks = CheckFolder(folder_.File("none"), kPlenty);
  ASSERT_EQ(checks.size(), 1);
  EXPECT_EQ(checks[0].level, Check::Level::kFail);
}

TEST_F(FolderChecksTest, TooLittleMemoryInAllOrNow) {
  EXPECT_EQ(Levels({8 * kGiB, kGiB, "the machine"}).back(), "warn memory");
  EXPECT_EQ(Levels({kGiB, kGiB, "the cgroup"}).back(), "fail memory");
}

// 256 KiB of features do not fit beside the server's own GiB; all else does.
TEST_F(FolderChecksTest, FeaturesThatDoNotFitAreReadFromDisk) {
  GraphSpec spec;
  spec.num_nodes = 64;
  spec.edges = {{0, 1}};
  spec.x_dim = 1024;
  spec.x.assign(64 * 1024, 1);
  const std::string graph = folder_.File("large");
  WriteGraphTo(spec, graph);
  const uint64_t memory = kGiB + (64 << 10);
  const Check check =
      CheckFolder(graph, MemoryLimit{memory, memory, "the machine"}).back();
  EXPECT_EQ(check.level, Check::Level::kWarn);
  EXPECT_THAT(check.remedy, HasSubstr("read the features (1 MiB) from disk"));
}

}  // namespace
}  // namespace tributary
