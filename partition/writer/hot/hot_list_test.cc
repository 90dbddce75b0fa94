// Writes hot lists, opens them as a server does, and damages them.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/hash/crc32c.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/hot_lists.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/writer/hot/hot_list_writer.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A directed graph: node 0 is drawn for all others, node 5 draws from all.
// Nodes 1 and 3 have an out-edge more than 2 and 4.
GraphSpec SixNodes(uint32_t partitions) {
  GraphSpec spec{.num_nodes = 6, .x_dim = 3};
  spec.num_partitions = partitions;
  spec.edges = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 5},
                {2, 5}, {3, 5}, {4, 5}, {3, 1}, {1, 2}};
  for (int v = 0; v < 6; ++v) {
    for (int j = 0; j < 3; ++j) {
      spec.x.push_back(static_cast<float>(10 * v + j));
    }
    spec.y.push_back(100 + v);
  }
  return spec;
}

class HotListTest : public testing::Test {
 protected:
  void Make(uint32_t partitions) {
    path_ = folder_.File("graph" + std::to_string(partitions));
    WriteGraphTo(SixNodes(partitions), path_);
  }
  std::shared_ptr<const Graph> OpenGraph(
      FeatureMemory features = FeatureMemory::kResident) const {
    auto graph = Graph::Open(path_, {.features = features});
    EXPECT_TRUE(graph.ok()) << graph.status();
    return *graph;
  }
  absl::StatusOr<Sha256Digest> Write(
      const std::string& name,
      std::vector<absl::Span<const uint32_t>> counts = {},
      FeatureMemory features = FeatureMemory::kResident) const {
    return WriteHotList(*OpenGraph(features), {.folder = path_,
                                               .name = name,
                                               .counts = std::move(counts),
                                               .made_by = "test",
                                               .flush = false});
  }
  absl::StatusOr<std::shared_ptr<const HotList>> Open(
      const std::string& name) const {
    return OpenHotList(path_, name, OpenGraph()->schema(), /*verify=*/true);
  }
  std::string File(const std::string& name) const {
    return path_ + "/hot-lists/degree/" + name;
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(HotListTest, RowsOfMoreOutEdgesComeFirst) {
  std::vector<Sha256Digest> digests;
  for (const uint32_t partitions : {1, 2, 3}) {
    Make(partitions);
    const auto written = Write("degree");
    ASSERT_TRUE(written.ok()) << written.status();
    const auto list = Open("degree");
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_EQ((*list)->digest(), *written);
    EXPECT_THAT((*list)->nodes(0)->order, ElementsAre(0, 1, 3, 2, 4, 5));
    digests.push_back(*written);
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(digests[0], digests[2]);
}

TEST_F(HotListTest, HasTheRanksAndSumsOfRows) {
  Make(3);
  for (const auto features :
       {FeatureMemory::kResident, FeatureMemory::kPaged}) {
    ASSERT_TRUE(Write("degree", {}, features).ok());
    const auto list = Open("degree");
    ASSERT_TRUE(list.ok()) << list.status();
    const HotList::Nodes& nodes = *(*list)->nodes(0);
    const auto graph = OpenGraph();
    for (uint32_t p = 0; p < 3; ++p) {
      const NodePartition& here = *graph->nodes(0, p);
      for (size_t row = 0; row < here.orig_id.size(); ++row) {
        const auto internal =
            static_cast<size_t>(graph->schema().node_types[0].base[p]) + row;
        const uint32_t rank = nodes.rank[internal];
        EXPECT_EQ(nodes.order[rank], here.orig_id[row]);
        EXPECT_EQ(nodes.crc[rank],
                  ExtendCrc32c(Crc32c(here.x.subspan(row * 12, 12)),
                               here.y.subspan(row * 8, 8)));
      }
    }
  }
}

TEST_F(HotListTest, CountsComeBeforeDegrees) {
  Make(2);
  const std::vector<uint32_t> counts = {0, 0, 7, 0, 0, 9};
  const auto sampled = Write("sampled", {counts});
  ASSERT_TRUE(sampled.ok()) << sampled.status();
  const auto degree = Write("degree");
  ASSERT_TRUE(degree.ok()) << degree.status();
  EXPECT_NE(*sampled, *degree);
  const auto lists =
      OpenHotLists(path_, OpenGraph()->schema(), /*verify=*/true);
  ASSERT_TRUE(lists.ok()) << lists.status();
  ASSERT_EQ(lists->size(), 2u);
  EXPECT_EQ((*lists)[0]->name(), "degree");
  EXPECT_EQ((*lists)[1]->name(), "sampled");
  EXPECT_THAT((*lists)[1]->nodes(0)->order, ElementsAre(5, 2, 0, 1, 3, 4));
}

// What the digest covers, by the letter: clients check it.
TEST_F(HotListTest, ItsDigestCoversOrderAndSums) {
  Make(2);
  ASSERT_TRUE(Write("degree").ok());
  const auto list = *Open("degree");
  const auto& files = list->files();
  ASSERT_EQ(files.size(), 5u);
  const auto of = [&](size_t i) { return Sha256Of(files[i].bytes); };
  const std::string json(reinterpret_cast<const char*>(files[0].bytes.data()),
                         files[0].bytes.size());
  EXPECT_EQ(of(0), list->digest());
  EXPECT_EQ(files[1].name, "order/node");
  EXPECT_EQ(files[2].name, "crc/node");
  EXPECT_EQ(files[3].name, "order.blocks/node");
  EXPECT_EQ(files[4].name, "crc.blocks/node");
  for (const size_t blocks : {3, 4}) {
    const Sha256Digest block = of(blocks - 2);
    EXPECT_TRUE(std::equal(block.begin(), block.end(),
                           files[blocks].bytes.begin(),
                           files[blocks].bytes.end()));
    EXPECT_THAT(json, HasSubstr(ToHex(of(blocks))));
  }
  EXPECT_THAT(json, HasSubstr(ToHex(OpenGraph()->schema().content_digest)));
  EXPECT_THAT(json, HasSubstr("\"block_rows\":65536"));
}

TEST_F(HotListTest, DamageIsNamed) {
  Make(2);
  const std::string files[] = {"node/order.npy", "node/crc.npy",
                               "node/rank.npy",  "node/order.blocks.npy",
                               "list.json",      "hot.json"};
  for (const std::string& file : files) {
    ASSERT_TRUE(Write("degree").ok());
    std::fstream stream(File(file), std::ios::in | std::ios::out);
    stream.seekp(-3, std::ios::end);
    stream.put('\x01');
    stream.close();
    const auto list = Open("degree");
    EXPECT_TRUE(absl::IsDataLoss(list.status())) << file << list.status();
    EXPECT_THAT(list.status().ToString(), HasSubstr(file.substr(0, 4)));
  }
}

TEST_F(HotListTest, AListOfAnotherLayoutOrGraphIsRefused) {
  Make(2);
  ASSERT_TRUE(Write("degree").ok());
  const std::string first = path_;
  Make(3);
  std::filesystem::copy(first + "/hot-lists", path_ + "/hot-lists",
                        std::filesystem::copy_options::recursive);
  const auto list = Open("degree");
  EXPECT_TRUE(absl::IsFailedPrecondition(list.status())) << list.status();
  EXPECT_THAT(list.status().ToString(), HasSubstr("tributary cache"));
  ASSERT_TRUE(Write("degree").ok());
  EXPECT_TRUE(Open("degree").ok());
}

TEST_F(HotListTest, AGraphMayHaveNone) {
  Make(1);
  const auto lists = OpenHotLists(path_, OpenGraph()->schema(), true);
  ASSERT_TRUE(lists.ok()) << lists.status();
  EXPECT_THAT(*lists, IsEmpty());
}

TEST_F(HotListTest, NamesAreChecked) {
  Make(1);
  const std::string names[] = {"",        "a/b", "..",
                               ".hidden", "a b", std::string(65, 'a')};
  for (const std::string& name : names) {
    EXPECT_TRUE(absl::IsInvalidArgument(Write(name).status())) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(path_ + "/hot-lists"));
}

}  // namespace
}  // namespace tributary
