#include "sampler_server/engine/hop/excluded_edges.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(ExcludedEdges, FinishOrdersAndDropsDoubles) {
  ExcludedEdges excluded;
  excluded.by_id = {{7, 1}, {2, 9}, {7, 0}, {2, 9}};
  excluded.by_source = {{5, 5}, {0, 3}, {5, 5}};
  ASSERT_TRUE(excluded.Finish().ok());
  EXPECT_EQ(excluded.by_id, (std::vector<EdgeOfNode>{{2, 9}, {7, 0}, {7, 1}}));
  EXPECT_EQ(excluded.by_source, (std::vector<SourceOfNode>{{0, 3}, {5, 5}}));
  EXPECT_FALSE(excluded.empty());
}

TEST(ExcludedEdges, OneNodeHasSoManyAndNoMore) {
  ExcludedEdges ids, sources;
  for (uint64_t i = 0; i < ExcludedEdges::kMostOfNode; ++i) {
    ids.by_id.push_back({4, static_cast<int64_t>(i)});
    sources.by_source.push_back({4, i});
  }
  ids.by_id.push_back({5, 0});
  EXPECT_TRUE(ids.Finish().ok());
  EXPECT_TRUE(sources.Finish().ok());
  ids.by_id.push_back({4, -1});
  sources.by_source.push_back({4, ExcludedEdges::kMostOfNode});
  EXPECT_EQ(ids.Finish().message(),
            "a batch excludes more than 65536 edges of one node; lower "
            "batch_size");
  EXPECT_EQ(sources.Finish().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
