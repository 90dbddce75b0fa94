#include "sampler_server/engine/gather/hot_split.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/writer/hot/hot_cache_writer.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// 100 nodes in 2 partitions of 50; the cache of partition 0 has the internal
// ids 50, 53 and 99, in its rows 0, 1 and 2.
std::shared_ptr<const HotCache> ThreeRows() {
  const TemporaryFolder folder;
  const std::string path = folder.File("graph");
  GraphSpec spec{.num_nodes = 100, .edges = {{0, 1}}};
  spec.num_partitions = 2;
  WriteGraphTo(spec, path);
  auto writer = HotCacheWriter::Create(path).value();
  EXPECT_TRUE(writer.Add(0, 0, {50, 53, 99}).ok());
  EXPECT_TRUE(writer.Commit("test", /*flush=*/false).ok());
  const auto graph = Graph::Open(path, {.partitions = {0}}).value();
  return HotCache::Open(path, *graph).value();
}

TEST(TakeHotRows, SplitsRowsAndTheirPlaces) {
  const auto cache = ThreeRows();
  PlacedRows rows{{49, 1, 0, 3, 2, 49}, {10, 11, 12, 13, 14, 15}};
  const PlacedRows hot = TakeHotRows(*cache->nodes(0), 50, rows);
  EXPECT_THAT(hot.rows, ElementsAre(2, 0, 1, 2));
  EXPECT_THAT(hot.to, ElementsAre(10, 12, 13, 15));
  EXPECT_THAT(rows.rows, ElementsAre(1, 2));
  EXPECT_THAT(rows.to, ElementsAre(11, 14));
}

TEST(TakeHotRows, RowsInOrderGetTheirPlaces) {
  const auto cache = ThreeRows();
  PlacedRows rows{{1, 3, 4}, {}};
  const PlacedRows hot = TakeHotRows(*cache->nodes(0), 50, rows);
  EXPECT_THAT(hot.rows, ElementsAre(1));
  EXPECT_THAT(hot.to, ElementsAre(1));
  EXPECT_THAT(rows.rows, ElementsAre(1, 4));
  EXPECT_THAT(rows.to, ElementsAre(0, 2));
}

TEST(TakeHotRows, NoneAndAll) {
  const auto cache = ThreeRows();
  PlacedRows none{{1, 2, 4}, {}};
  EXPECT_THAT(TakeHotRows(*cache->nodes(0), 50, none).rows, IsEmpty());
  EXPECT_THAT(none.rows, ElementsAre(1, 2, 4));
  EXPECT_THAT(none.to, IsEmpty());
  PlacedRows all{{49, 49, 0}, {}};
  const PlacedRows hot = TakeHotRows(*cache->nodes(0), 50, all);
  EXPECT_THAT(hot.rows, ElementsAre(2, 2, 0));
  EXPECT_THAT(hot.to, ElementsAre(0, 1, 2));
  EXPECT_THAT(all.rows, IsEmpty());
  EXPECT_THAT(all.to, IsEmpty());
}

}  // namespace
}  // namespace tributary
