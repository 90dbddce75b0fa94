#include "partition/writer/streaming/stored_extras.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/io/file_mapping.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/paths.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;

constexpr uint32_t kPartitions = 3;

// Far more edges than are read or kept at a time with the smallest buffers
// (4096), a quarter of them merged, so that their ids are free.
GraphSpec ManyEdges() {
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) {
    return static_cast<int64_t>(random() % n);
  };
  GraphSpec spec{.num_nodes = 5000, .dedupe = true};
  spec.num_partitions = kPartitions;
  for (int i = 0; i < 60000; ++i) {
    const uint32_t nodes = i % 4 == 0 ? 10 : 5000;
    spec.edges.emplace_back(below(nodes), below(nodes));
  }
  for (int64_t v = 0; v < spec.num_nodes; ++v) {
    spec.partition_of.push_back(static_cast<uint16_t>(below(kPartitions)));
  }
  spec.degrees = spec.edge_index = true;
  return spec;
}

// The arrays that the writer in memory has made, and those of this file, made
// from its other arrays.
class StoredExtrasTest : public testing::Test {
 protected:
  StoredExtrasTest() : spec_(ManyEdges()) {
    WriteGraphTo(spec_, folder_.File("g"));
    const auto graph = Graph::Open(folder_.File("g"), {});
    schema_ = (*graph)->schema();
    fs::create_directory(folder_.File("again"));
    for (uint32_t p = 0; p < kPartitions; ++p) {
      const std::string part = "/part-" + std::to_string(p);
      fs::copy(folder_.File("g") + part, folder_.File("again") + part,
               fs::copy_options::recursive);
    }
  }
  const EdgeTypeSchema& edges() const { return schema_.edge_types[0]; }

  // Compares each file with the one that the writer in memory made.
  void ExpectSame(const absl::StatusOr<std::vector<FileSchema>>& files,
                  size_t count) {
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_EQ(files->size(), count);
    for (const FileSchema& file : *files) {
      const auto made =
          ReadFile(folder_.File("again/") + file.path, size_t{1} << 26);
      const auto wanted =
          ReadFile(folder_.File("g/") + file.path, size_t{1} << 26);
      ASSERT_TRUE(made.ok() && wanted.ok()) << made.status();
      EXPECT_TRUE(*made == *wanted) << file.path;
    }
  }

  const TemporaryFolder folder_;
  const GraphSpec spec_;
  GraphSchema schema_;
};

TEST_F(StoredExtrasTest, EdgeIndexIsTheSameWithAnyBuffers) {
  for (const uint64_t buffer : {uint64_t{1}, uint64_t{1} << 30}) {
    ExpectSame(
        WriteEdgeIndex(folder_.File("again"), edges(), kPartitions, buffer), 2);
  }
}

TEST_F(StoredExtrasTest, OutDegreesAreTheSameWithAnyBuffers) {
  const auto nodes = NodeTable::Make(spec_.partition_of, kPartitions);
  ASSERT_TRUE(nodes.ok()) << nodes.status();
  for (const uint64_t buffer : {uint64_t{1}, uint64_t{1} << 30}) {
    ExpectSame(WriteOutDegrees(folder_.File("again"), edges(), *nodes,
                               kPartitions, buffer),
               1);
  }
}

TEST_F(StoredExtrasTest, DictionariesAreCopiedWhole) {
  std::string bytes;
  for (int i = 0; i < 20000; ++i) bytes += static_cast<char>(i * 31 % 127);
  std::ofstream(folder_.File("ids"), std::ios::binary) << bytes;
  for (const uint64_t buffer : {uint64_t{1}, uint64_t{1} << 30}) {
    const auto copied = CopyIdFiles(
        folder_.File("again"), {{"ids/node.npy", folder_.File("ids")}}, buffer);
    ASSERT_TRUE(copied.ok()) << copied.status();
    EXPECT_EQ(
        ReadFile(folder_.File("again/ids/node.npy"), size_t{1} << 20).value(),
        bytes);
    EXPECT_EQ(copied->at(0).bytes, bytes.size());
  }
}

}  // namespace
}  // namespace tributary
