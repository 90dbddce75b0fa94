// Writes hot lists, opens them as a server does, and damages them.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/hash/crc32c.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/hot_list_check.h"
#include "partition/writer/hot/hot_list_writer.h"
#include "partition/writer/writer.h"

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
  for (const std::string file :
       {"node/order.npy", "node/crc.npy", "node/rank.npy",
        "node/order.blocks.npy", "node/crc.blocks.npy", "list.json",
        "files.json"}) {
    ASSERT_TRUE(Write("degree").ok());
    std::fstream stream(File(file), std::ios::in | std::ios::out);
    stream.seekp(-3, std::ios::end);
    stream.put('\x01');
    stream.close();
    const auto list = Open("degree");
    EXPECT_TRUE(absl::IsDataLoss(list.status())) << file << list.status();
    EXPECT_THAT(list.status().ToString(), HasSubstr(file));
    EXPECT_TRUE(absl::IsDataLoss(VerifyHotLists(path_).status())) << file;
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
  for (const std::string& name :
       {std::string(), std::string("a/b"), std::string(".."),
        std::string(".hidden"), std::string("a b"), std::string("a.tmp-1"),
        std::string(65, 'a')}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Write(name).status())) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(path_ + "/hot-lists"));
}

TEST_F(HotListTest, TheGraphStaysTheSame) {
  Make(2);
  const GraphSchema before = OpenGraph()->schema();
  ASSERT_TRUE(Write("degree").ok());
  EXPECT_EQ(OpenGraph()->schema().layout_digest, before.layout_digest);
  EXPECT_EQ(OpenGraph()->schema().content_digest, before.content_digest);
}

// What a killed process leaves is no list; the next one takes its place.
TEST_F(HotListTest, AnUnfinishedListIsNone) {
  Make(2);
  ASSERT_TRUE(Write("degree").ok());
  std::filesystem::rename(path_ + "/hot-lists/degree",
                          path_ + "/hot-lists/degree.tmp-1-0");
  EXPECT_THAT(*HotListNames(path_), IsEmpty());
  EXPECT_EQ(*HotListDigestsOf(path_), kNoHotLists);
  ASSERT_TRUE(Write("degree").ok());
  EXPECT_THAT(*HotListNames(path_), ElementsAre("degree"));
}

// Features that cannot be read: the older list stays, and nothing else is left.
TEST_F(HotListTest, WithoutSuccessNothingChanges) {
  Make(2);
  const auto graph = OpenGraph(FeatureMemory::kPaged);
  const std::string x = path_ + "/part-1/nodes/node/x.npy";
  const auto bytes = std::filesystem::file_size(x);
  const HotListRequest request{
      .folder = path_, .name = "degree", .made_by = "test", .flush = false};
  std::filesystem::resize_file(x, bytes - 4);
  EXPECT_TRUE(absl::IsDataLoss(WriteHotList(*graph, request).status()));
  EXPECT_FALSE(std::filesystem::exists(path_ + "/hot-lists"));
  std::filesystem::resize_file(x, bytes);
  ASSERT_TRUE(WriteHotList(*graph, request).ok());
  const std::string digest = *HotListDigestsOf(path_);
  std::filesystem::resize_file(x, bytes - 4);
  EXPECT_TRUE(absl::IsDataLoss(WriteHotList(*graph, request).status()));
  EXPECT_EQ(*HotListDigestsOf(path_), digest);
  EXPECT_EQ(std::distance(
                std::filesystem::directory_iterator(path_ + "/hot-lists"), {}),
            1);
}

TEST_F(HotListTest, VerifyComparesOrderRanksAndRows) {
  Make(3);
  ASSERT_TRUE(Write("degree").ok());
  const auto verified = VerifyHotLists(path_);
  ASSERT_TRUE(verified.ok()) << verified.status();
  ASSERT_EQ(verified->size(), 1u);
  EXPECT_EQ((*verified)[0].rows, 6u);
  EXPECT_EQ((*verified)[0].compared, 6u);
  HotListCheckOptions options;
  options.sample = 2;
  EXPECT_EQ((*VerifyHotLists(path_, options))[0].compared, 2u);
  options.sample.reset();
  options.partitions = *PartitionChoice::Parse("0,2");
  EXPECT_EQ((*VerifyHotLists(path_, options))[0].compared, 4u);
  EXPECT_EQ((*VerifyHotLists(path_, options))[0].rows, 6u);
}

// Changes one value of an array of a list, with right checksums and digests.
class LyingList : public HotListTest {
 protected:
  template <typename T>
  void Lie(const std::string& array, size_t at, T value) {
    const std::string path = "node/" + array + ".npy";
    std::fstream file(File(path), std::ios::in | std::ios::out);
    file.seekp(-static_cast<int64_t>((6 - at) * sizeof(T)), std::ios::end);
    file.write(reinterpret_cast<const char*>(&value), sizeof(T));
    file.close();
    Digest(array);
    Checksum();
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(File(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Put(const std::string& name, const std::string& bytes) const {
    std::ofstream(File(name), std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  void Digest(const std::string& array) const {
    if (array == "rank") return;
    const std::string bytes = Read("node/" + array + ".npy").substr(128);
    const Sha256Digest block = Sha256Of(bytes);
    std::string blocks = Read("node/" + array + ".blocks.npy");
    const std::string before = ToHex(Sha256Of(blocks.substr(128)));
    std::memcpy(blocks.data() + 128, block.data(), block.size());
    Put("node/" + array + ".blocks.npy", blocks);
    std::string json = Read("list.json");
    json.replace(json.find(before), before.size(), ToHex(Sha256Of(block)));
    Put("list.json", json);
  }
  void Checksum() const {
    HotListFiles files = *HotListFiles::FromJson(Read("files.json"));
    for (FileSchema& file : files.files) {
      const std::string bytes = Read(file.path);
      file.crc32c = Crc32c(
          {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
    }
    Put("files.json", files.ToJson());
  }
};

TEST_F(LyingList, IsFoundByVerify) {
  Make(3);
  const auto says = [this] {
    EXPECT_TRUE(Open("degree").ok()) << Open("degree").status();
    const absl::Status status = VerifyHotLists(path_).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    return std::string(status.message());
  };
  // The order is 0 1 3 2 4 5.
  ASSERT_TRUE(Write("degree").ok());
  Lie<int64_t>("order", 3, 4);
  EXPECT_THAT(says(), HasSubstr("order.npy: rank 4 holds 4, as an earlier"));
  ASSERT_TRUE(Write("degree").ok());
  Lie<int64_t>("order", 5, 6);
  EXPECT_THAT(says(), HasSubstr("order.npy: rank 5 holds 6; ids are below 6"));
  ASSERT_TRUE(Write("degree").ok());
  Lie<uint32_t>("rank", 5, 2);  // internal id 5 is node 5 in partition 2
  EXPECT_THAT(says(), HasSubstr("rank.npy: internal id 5 has rank 2; order has "
                                "node 5 at rank 5"));
  ASSERT_TRUE(Write("degree").ok());
  Lie<uint32_t>("crc", 2, 12345);
  EXPECT_THAT(says(), HasSubstr("crc.npy: rank 2 has the CRC32C 12345; the row "
                                "of node 3 in partition 0"));
}

TEST_F(HotListTest, ScaledRowsCountAsTheyLie) {
  path_ = folder_.File("scaled");
  GraphSpec spec = SixNodes(2);
  spec.scaled = true;
  WriteGraphTo(spec, path_);
  ASSERT_TRUE(Write("degree", {}, FeatureMemory::kPaged).ok());
  const auto graph = OpenGraph();
  const auto list = *Open("degree");
  const NodePartition& here = *graph->nodes(0, 0);
  // Rows of three int8 and their scale.
  ASSERT_EQ(here.x.size(), 3 * 7u);
  const uint32_t rank = list->nodes(0)->rank[1];
  EXPECT_EQ(list->nodes(0)->order[rank], 2);
  EXPECT_EQ(list->nodes(0)->crc[rank],
            ExtendCrc32c(Crc32c(here.x.subspan(7, 7)), here.y.subspan(8, 8)));
}

// Types b and a, in this order, and t without columns. b's nodes are drawn for
// a's by r, and for their own by s: in both, out-edges count.
GraphContent ThreeTypes() {
  const auto edges = [](std::vector<int64_t> src, std::vector<int64_t> dst,
                        int64_t num_src, int64_t num_dst) {
    EdgeRows rows{.src = std::move(src), .dst = std::move(dst)};
    return *Adjacency::FromRows(std::move(rows), num_src, num_dst, {});
  };
  const auto values = [](std::vector<int64_t> of) {
    return std::make_shared<StoredRows<int64_t>>(ColumnSchema{DType::kInt64, 0},
                                                 std::move(of));
  };
  GraphContent content;
  content.name = "types";
  content.heterogeneous = true;
  content.node_types.push_back({"a", 2, nullptr, values({7, 8}), nullptr});
  content.node_types.push_back(
      {"b", 4, values({1, 2, 3, 4}), nullptr, nullptr});
  content.node_types.push_back({"t", 3, nullptr, nullptr, nullptr});
  content.edge_types.push_back({.src = "b",
                                .rel = "r",
                                .dst = "a",
                                .src_type = 1,
                                .dst_type = 0,
                                .in_edges = edges({3, 1}, {0, 0}, 4, 2)});
  content.edge_types.push_back({.src = "b",
                                .rel = "s",
                                .dst = "b",
                                .src_type = 1,
                                .dst_type = 1,
                                .in_edges = edges({3, 2, 1}, {0, 0, 0}, 4, 4)});
  return content;
}

TEST_F(HotListTest, EachTypeHasItsOwnOrder) {
  std::vector<Sha256Digest> digests;
  const std::vector<std::vector<std::vector<uint16_t>>> plans = {
      {{0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, {{1, 0}, {1, 0, 1, 0}, {0, 1, 0}}};
  for (const auto& plan : plans) {
    path_ = folder_.File("types" + std::to_string(digests.size()));
    const auto written =
        WriteGraph(ThreeTypes(), {2, "test", plan}, path_, {.flush = false});
    ASSERT_TRUE(written.ok()) << written.status();
    const auto made = Write("degree");
    ASSERT_TRUE(made.ok()) << made.status();
    digests.push_back(*made);
    const auto list = Open("degree");
    ASSERT_TRUE(list.ok()) << list.status();
    EXPECT_THAT((*list)->nodes(0)->order, ElementsAre(0, 1));
    EXPECT_THAT((*list)->nodes(1)->order, ElementsAre(1, 3, 2, 0));
    EXPECT_EQ((*list)->nodes(2), nullptr);
    EXPECT_EQ((*VerifyHotLists(path_))[0].rows, 6u);
  }
  EXPECT_EQ(digests[0], digests[1]);
}

// More rows than a piece of the features has, and than a block.
TEST_F(HotListTest, ManyRowsHaveBlocks) {
  constexpr int64_t kNodes = 70'000;
  GraphSpec spec{.num_nodes = kNodes, .edges = {{kNodes - 1, 0}}};
  spec.num_partitions = 3;
  for (int64_t v = 0; v < kNodes; ++v) spec.x.push_back(static_cast<float>(v));
  path_ = folder_.File("large");
  WriteGraphTo(spec, path_);
  ASSERT_TRUE(Write("degree", {}, FeatureMemory::kPaged).ok());
  const auto list = *Open("degree");
  const HotList::Nodes& nodes = *list->nodes(0);
  for (const int64_t rank : {0, 1, 4096, 65'535, 65'536, 69'999}) {
    const int64_t id = rank == 0 ? kNodes - 1 : rank - 1;
    const auto value = static_cast<float>(id);
    EXPECT_EQ(nodes.order[rank], id);
    EXPECT_EQ(nodes.crc[rank], Crc32c({reinterpret_cast<const uint8_t*>(&value),
                                       sizeof(value)}));
  }
  const auto order = list->files()[1].bytes, blocks = list->files()[3].bytes;
  ASSERT_EQ(blocks.size(), 64u);
  const Sha256Digest second = Sha256Of(order.subspan(65'536 * 8));
  EXPECT_TRUE(std::equal(second.begin(), second.end(), blocks.begin() + 32));
  EXPECT_EQ((*VerifyHotLists(path_))[0].compared, 70'000u);
  // The size on the disk that the disk's check counts on.
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           path_ + "/hot-lists/degree")) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  const uint64_t expected = HotListBytes(OpenGraph()->schema());
  EXPECT_GE(expected, bytes);
  EXPECT_LT(expected, bytes + 2048);
}

}  // namespace
}  // namespace tributary
