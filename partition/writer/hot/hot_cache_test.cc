// Writes caches of hot rows, opens them as a server does, and damages them.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_cache.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/check/hot_check.h"
#include "partition/writer/hot/hot_cache_writer.h"

namespace tributary {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 12 nodes in 3 partitions of 4: internal id 4p + r is original id p + 3r. Row
// v of x is (10v, 10v + 1), y is 100 + v.
GraphSpec TwelveNodes() {
  GraphSpec spec{.num_nodes = 12, .edges = {{0, 1}, {1, 2}}, .x_dim = 2};
  spec.num_partitions = 3;
  for (int v = 0; v < 12; ++v) {
    spec.x.push_back(static_cast<float>(10 * v));
    spec.x.push_back(static_cast<float>(10 * v + 1));
    spec.y.push_back(100 + v);
  }
  return spec;
}

class HotCacheTest : public testing::Test {
 protected:
  HotCacheTest() { WriteGraphTo(TwelveNodes(), graph()); }

  std::string graph() const { return folder_.File("graph"); }
  std::string HotFile(const std::string& name) const {
    return graph() + "/hot/" + name;
  }
  // Gives each partition the rows named; the internal ids.
  void Write(const std::vector<std::vector<uint64_t>>& rows) {
    auto writer = HotCacheWriter::Create(graph());
    ASSERT_TRUE(writer.ok()) << writer.status();
    for (uint32_t p = 0; p < rows.size(); ++p) {
      const absl::Status added = writer->Add(p, 0, rows[p]);
      ASSERT_TRUE(added.ok()) << added;
    }
    const auto made = writer->Commit("test", /*flush=*/false);
    ASSERT_TRUE(made.ok()) << made.status();
  }
  absl::StatusOr<std::shared_ptr<const HotCache>> Open(
      std::vector<uint32_t> partitions) const {
    const auto opened =
        Graph::Open(graph(), {.partitions = std::move(partitions)});
    EXPECT_TRUE(opened.ok()) << opened.status();
    return HotCache::Open(graph(), **opened);
  }
  // Returns the original ids of the cached rows among all internal ids, and
  // checks their columns.
  static std::vector<int64_t> Cached(const HotCache& cache) {
    std::vector<int64_t> found;
    const HotNodes* nodes = cache.nodes(0);
    for (uint64_t id = 0; nodes != nullptr && id < 13; ++id) {
      const uint64_t row = nodes->Find(id);
      if (row == RowSet::kNone) continue;
      const int64_t v =
          reinterpret_cast<const int64_t*>(nodes->orig_id().data())[row];
      EXPECT_EQ(v, static_cast<int64_t>(id / 4 + id % 4 * 3));
      const auto* x = reinterpret_cast<const float*>(nodes->x().data());
      EXPECT_EQ(x[2 * row], static_cast<float>(10 * v));
      EXPECT_EQ(x[2 * row + 1], static_cast<float>(10 * v + 1));
      const auto* y = reinterpret_cast<const int64_t*>(nodes->y().data());
      EXPECT_EQ(y[row], 100 + v);
      found.push_back(v);
    }
    return found;
  }
  void Flip(const std::string& name, int from_end) {
    std::fstream file(HotFile(name),
                      std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(-from_end, std::ios::end);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(-from_end, std::ios::end);
    file.put(byte);
  }
  std::string ReadJson() const {
    std::ifstream file(HotFile("hot.json"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const TemporaryFolder folder_;
};

TEST_F(HotCacheTest, AServerHasTheRowsOfItsPartitionsCachesThatItLacks) {
  Write({{4, 6, 11}, {0, 8, 11}, {5}});
  const auto first = Open({0});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(Cached(**first), ElementsAre(1, 7, 11));
  // Rows of 8 + 8 + 8 bytes, and 16 for up to 64 nodes.
  EXPECT_EQ((*first)->bytes(), 3 * 24 + 16u);
  EXPECT_EQ((*first)->num_rows(), 3u);
  // What both partitions' caches have is there once; what the other has is its
  // own.
  const auto both = Open({0, 1});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_THAT(Cached(**both), ElementsAre(2, 11));
  const auto all = Open({});
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(*all, nullptr);
  EXPECT_EQ(VerifyHotCache(graph()).value().rows, 7u);
  EXPECT_EQ(VerifyHotCache(graph()).value().compared, 7u);
}

// Rows of int8 with their scale are copied as they are.
TEST_F(HotCacheTest, ScaledRowsAreTheirOwners) {
  fs::remove_all(graph());
  GraphSpec spec = TwelveNodes();
  spec.scaled = true;
  WriteGraphTo(spec, graph());
  Write({{4, 6, 11}, {}, {}});
  const auto cache = Open({0});
  ASSERT_TRUE(cache.ok()) << cache.status();
  // Rows of 8 + 6 + 8 bytes, and 16 for up to 64 nodes.
  EXPECT_EQ((*cache)->bytes(), 3 * 22 + 16u);
  const HotNodes& nodes = *(*cache)->nodes(0);
  const auto x = nodes.x().subspan(nodes.Find(6) * 6, 6);
  // Node 7, (70, 71): 71 / 127 is 1 in int8's units, 70 / 71 of 127 is 125.2.
  const float scale = 71.0f / 127;
  EXPECT_EQ(x[0], 125);
  EXPECT_EQ(x[1], 127);
  EXPECT_EQ(std::memcmp(&x[2], &scale, sizeof(scale)), 0);
  EXPECT_EQ(VerifyHotCache(graph()).value().rows, 3u);
}

TEST_F(HotCacheTest, TheGraphIsTheSameWithAndWithoutACache) {
  const Sha256Digest layout = ReadGraphJson(graph())->layout_digest;
  EXPECT_EQ(*Open({0}), nullptr);
  EXPECT_EQ(VerifyHotCache(graph()).value().rows, 0u);
  Write({{4}, {}, {}});
  EXPECT_EQ(ReadGraphJson(graph())->layout_digest, layout);
  EXPECT_THAT(Cached(**Open({0})), ElementsAre(1));
  EXPECT_EQ((*Open({1}))->nodes(0), nullptr);
  // Another one takes its place.
  Write({{5, 8}, {}, {}});
  EXPECT_THAT(Cached(**Open({0})), ElementsAre(4, 2));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
  EXPECT_TRUE(std::none_of(fs::directory_iterator(graph()), {},
                           [](const fs::directory_entry& entry) {
                             return entry.path().filename().string().find(
                                        ".tmp-") != std::string::npos;
                           }));
}

TEST_F(HotCacheTest, WithoutCommitTheOldCacheStays) {
  Write({{4}, {}, {}});
  {
    auto writer = HotCacheWriter::Create(graph());
    ASSERT_TRUE(writer.ok() && writer->Add(0, 0, {5, 6}).ok());
  }
  EXPECT_THAT(Cached(**Open({0})), ElementsAre(1));
}

TEST_F(HotCacheTest, ACacheOfAnotherLayoutIsRefusedByName) {
  Write({{4}, {}, {}});
  GraphSpec other = TwelveNodes();
  other.partition_of.assign(12, 0);
  other.partition_of[3] = 1;
  const std::string moved = folder_.File("moved");
  WriteGraphTo(other, moved);
  fs::copy(graph() + "/hot", moved + "/hot", fs::copy_options::recursive);
  const auto opened = Graph::Open(moved, {.partitions = {0}});
  const absl::Status refused = HotCache::Open(moved, **opened).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("moved/hot/hot.json: the cache belongs to the layout"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--hot-cache off"));
  EXPECT_EQ(VerifyHotCache(moved).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(HotCacheTest, EachDamagedFileIsRefusedByBoth) {
  for (const std::string name : {"internal_id", "orig_id", "x", "y"}) {
    const std::string path = "part-0/node/" + name + ".npy";
    Write({{4, 6}, {}, {}});
    Flip(path, 8);
    for (const absl::Status& status :
         {Open({0}).status(), VerifyHotCache(graph()).status()}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(path + ": its CRC"));
    }
    Write({{4, 6}, {}, {}});
    fs::resize_file(HotFile(path), fs::file_size(HotFile(path)) - 1);
    EXPECT_EQ(Open({0}).status().code(), absl::StatusCode::kDataLoss);
    fs::remove(HotFile(path));
    EXPECT_EQ(Open({0}).status().code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(VerifyHotCache(graph()).status().code(),
              absl::StatusCode::kNotFound);
  }
}

// Rows whose CRCs are right and that are not the owners'.
TEST_F(HotCacheTest, VerifyComparesRowsWithTheOwners) {
  Write({{4, 6}, {}, {}});
  const std::string graph_x = graph() + "/part-1/nodes/node/x.npy";
  std::fstream file(graph_x, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-8 - 4, std::ios::end);  // row 2, internal id 6
  file.put(77);
  file.close();
  EXPECT_TRUE(Open({0}).ok());
  const absl::Status differs = VerifyHotCache(graph()).status();
  EXPECT_EQ(differs.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(
      std::string(differs.message()),
      HasSubstr("part-0/node/x.npy: row 1 is not that of node 6 in partition "
                "1"));
}

// 3 x 5000 nodes: internal id 5000p + r is original id p + 3r, with x and y as
// above. The cache of partition 0 has the other 10,000 rows, which takes three
// pieces of 4096, of which the second one crosses the border of partition 1.
class LargeHotCacheTest : public HotCacheTest {
 protected:
  static constexpr int64_t kNodes = 15000;
  static constexpr uint64_t kOwn = 5000;

  LargeHotCacheTest() {
    fs::remove_all(graph());
    GraphSpec spec{.num_nodes = kNodes, .edges = {{0, 1}}, .x_dim = 2};
    spec.num_partitions = 3;
    for (int64_t v = 0; v < kNodes; ++v) {
      spec.x.push_back(static_cast<float>(10 * v));
      spec.x.push_back(static_cast<float>(10 * v + 1));
      spec.y.push_back(100 + v);
    }
    WriteGraphTo(spec, graph());
    std::vector<uint64_t> others;
    for (uint64_t id = kOwn; id < kNodes; ++id) others.push_back(id);
    Write({others, {}, {}});
  }
};

TEST_F(LargeHotCacheTest, EachRowIsItsOwners) {
  const auto cache = Open({0});
  ASSERT_TRUE(cache.ok()) << cache.status();
  EXPECT_EQ((*cache)->num_rows(), kNodes - kOwn);
  const HotNodes& nodes = *(*cache)->nodes(0);
  const auto* ids = reinterpret_cast<const int64_t*>(nodes.orig_id().data());
  const auto* x = reinterpret_cast<const float*>(nodes.x().data());
  const auto* y = reinterpret_cast<const int64_t*>(nodes.y().data());
  for (uint64_t id = kOwn; id < kNodes; ++id) {
    const uint64_t row = nodes.Find(id);
    ASSERT_EQ(row, id - kOwn);
    const auto v = static_cast<int64_t>(id / kOwn + id % kOwn * 3);
    ASSERT_EQ(ids[row], v) << id;
    ASSERT_EQ(x[2 * row], static_cast<float>(10 * v)) << id;
    ASSERT_EQ(x[2 * row + 1], static_cast<float>(10 * v + 1)) << id;
    ASSERT_EQ(y[row], 100 + v) << id;
  }
  EXPECT_EQ(VerifyHotCache(graph()).value().compared, kNodes - kOwn);
}

// One value of one owner's row is changed at a time, on both sides of each
// piece's end and of the border between the owners.
TEST_F(LargeHotCacheTest, VerifyComparesEachPieceWithTheOwners) {
  for (const uint64_t row : {0, 4095, 4096, 4999, 5000, 8191, 8192, 9999}) {
    const uint64_t owner = 1 + row / kOwn;
    const uint64_t from_end = (kOwn - row % kOwn) * 8;  // bytes
    const std::string path =
        absl::StrCat(graph(), "/part-", owner, "/nodes/node/x.npy");
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    const auto flip = [&] {
      file.seekg(-static_cast<int64_t>(from_end), std::ios::end);
      const char byte = static_cast<char>(file.get() ^ 1);
      file.seekp(-static_cast<int64_t>(from_end), std::ios::end);
      file.put(byte);
      file.flush();
    };
    flip();
    EXPECT_THAT(std::string(VerifyHotCache(graph()).status().message()),
                HasSubstr(absl::StrCat("row ", row, " is not that of node ",
                                       kOwn + row, " in partition ", owner)));
    flip();
    EXPECT_TRUE(VerifyHotCache(graph()).ok());
  }
}

TEST_F(HotCacheTest, VerifyRefusesARowOfThePartitionItself) {
  Write({{2, 6}, {}, {}});
  EXPECT_THAT(Cached(**Open({0})), ElementsAre(7));
  EXPECT_THAT(std::string(VerifyHotCache(graph()).status().message()),
              HasSubstr("row 0 is 2, a node of this partition itself"));
}

TEST_F(HotCacheTest, WrongTextsAreRefusedByName) {
  Write({{4, 6}, {}, {}});
  const std::string right = ReadJson();
  struct Case {
    std::string from, to, says;
  };
  for (const Case& c : std::vector<Case>{
           {"tributary-hot-cache", "another", "its format is not"},
           {"\"format_version\":1", "\"format_version\":2", "format_version 1"},
           {"\"rows\":2", "\"rows\":9", "only 8 are in other partitions"},
           {"\"rows\":2", "\"rows\":-1", "rows is no whole number"},
           {"\"partition\":0", "\"partition\":3", "has no partition 3"},
           {"\"node_type\":\"node\"", "\"node_type\":\"n\"",
            "has no partition 0 with a node type n"},
           {"\"made_by\":\"test\"", "\"made_by\":1", "made_by is no string"},
           {"\"made_by\":\"test\"", "\"made_by\":\"\",\"more\":1",
            "there is no key \"more\"; a later program made the cache"},
           {"\"made_by\":\"test\",", "", "there is no key made_by"},
           {"part-0/node/x.npy", "part-0/node/a.npy", "paths of files do not"},
           {"}", "", "line 1: this is no JSON here"}}) {
    std::string wrong = right;
    const size_t at = wrong.rfind(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    wrong.replace(at, c.from.size(), c.to);
    std::ofstream(HotFile("hot.json"), std::ios::trunc) << wrong;
    const absl::Status status = Open({0}).status();
    EXPECT_FALSE(status.ok()) << wrong;
    EXPECT_THAT(std::string(status.message()), HasSubstr("hot.json"));
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.says));
  }
  // A path that hot.json does not have is named.
  std::string lacks = right;
  lacks.replace(lacks.find("part-0/node/y"), 13, "part-0/node/z");
  std::ofstream(HotFile("hot.json"), std::ios::trunc) << lacks;
  EXPECT_THAT(std::string(Open({0}).status().message()),
              HasSubstr("hot.json: it does not list part-0/node/y.npy"));
}

TEST_F(HotCacheTest, ManifestsSurviveTheirText) {
  HotManifest manifest;
  manifest.layout_digest[3] = 9;
  manifest.made_by = "tributary cache";
  manifest.rows = {{0, "a", 1}, {0, "b", 2}, {7, "a", 3}};
  manifest.files = {{"part-0/a/x.npy", 136, 4000000000u}};
  const auto again = HotManifest::FromJson(manifest.ToJson());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToJson(), manifest.ToJson());
  EXPECT_EQ(again->RowsOf(0, "b"), 2);
  EXPECT_EQ(again->RowsOf(1, "b"), 0);
}

// Against a plain search, over every word's border.
TEST(RowSet, FindsRanks) {
  const std::vector<uint64_t> ids = {0, 1, 63, 64, 65, 127, 128, 190, 191};
  RowSet set(192);
  for (const uint64_t id : ids) EXPECT_TRUE(set.Insert(id));
  EXPECT_FALSE(set.Insert(64));
  EXPECT_EQ(set.Rank(), ids.size());
  for (uint64_t id = 0; id < 300; ++id) {
    const auto at = std::find(ids.begin(), ids.end(), id);
    EXPECT_EQ(set.Find(id), at == ids.end()
                                ? RowSet::kNone
                                : static_cast<uint64_t>(at - ids.begin()));
  }
}

}  // namespace
}  // namespace tributary
