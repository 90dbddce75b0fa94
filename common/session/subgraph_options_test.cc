#include "common/session/subgraph_options.h"

#include <gtest/gtest.h>

#include "common/proto/session.pb.h"

namespace tributary {
namespace {

v1::NeighborSampling Filled(const SubgraphOptions& options) {
  v1::NeighborSampling neighbor;
  FillSubgraph(options, &neighbor);
  return neighbor;
}

void ExpectRefused(const v1::NeighborSampling& neighbor,
                   const std::string& part) {
  const absl::Status status = CheckSubgraph(neighbor);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find(part), std::string::npos) << status;
}

TEST(SubgraphOptions, WhatIsNotAskedForTakesNoBytes) {
  EXPECT_EQ(Filled({}).SerializeAsString(), "");
  EXPECT_EQ(Filled({SubgraphType::kBidirectional}).max_scanned_edges(), 0u);
  EXPECT_EQ(Filled({SubgraphType::kInduced}).max_scanned_edges(),
            uint64_t{1} << 28);
}

TEST(SubgraphOptions, WhatGoesTogether) {
  for (const SubgraphType type :
       {SubgraphType::kDirectional, SubgraphType::kBidirectional,
        SubgraphType::kInduced}) {
    v1::NeighborSampling neighbor = Filled({type, 7});
    EXPECT_TRUE(CheckSubgraph(neighbor).ok());
    neighbor.set_disjoint(true);
    neighbor.set_draw(v1::DRAW_WEIGHTED);
    EXPECT_TRUE(CheckSubgraph(neighbor).ok());
  }
  v1::NeighborSampling timed = Filled({SubgraphType::kBidirectional});
  timed.set_time(v1::TIME_COLUMN_EDGE);
  EXPECT_TRUE(CheckSubgraph(timed).ok());
}

TEST(SubgraphOptions, WhatDoesNot) {
  v1::NeighborSampling unknown;
  unknown.set_subgraph_type(static_cast<v1::SubgraphType>(3));
  ExpectRefused(unknown, "subgraph_type: 3; allowed: directional (0)");
  ExpectRefused(Filled({SubgraphType::kInduced, 0}),
                "max_scanned_edges: 0; allowed: 1 to 4294967295");
  ExpectRefused(Filled({SubgraphType::kInduced, uint64_t{1} << 32}),
                "max_scanned_edges: 4294967296; allowed: 1 to 4294967295");
  v1::NeighborSampling limited;
  limited.set_max_scanned_edges(5);
  ExpectRefused(limited, "max_scanned_edges: 5, but no edges are looked for");
  for (const SubgraphType type :
       {SubgraphType::kBidirectional, SubgraphType::kInduced}) {
    v1::NeighborSampling labor = Filled({type});
    labor.set_draw(v1::DRAW_LABOR);
    ExpectRefused(labor, "with draw labor");
  }
  v1::SessionSpec links;
  FillSubgraph({SubgraphType::kBidirectional},
               links.mutable_link()->mutable_neighbor());
  EXPECT_EQ(CheckSubgraph(links).code(), absl::StatusCode::kInvalidArgument);
  v1::NeighborSampling some = Filled({SubgraphType::kInduced});
  some.add_edge_predicates();
  ExpectRefused(some, "induced with edge predicates");
  v1::NeighborSampling masked = Filled({SubgraphType::kInduced});
  masked.set_edge_mask("train");
  ExpectRefused(masked, "induced with edge_mask 'train'");
  v1::NeighborSampling timed = Filled({SubgraphType::kInduced});
  timed.set_time(v1::TIME_COLUMN_NODE);
  ExpectRefused(timed, "induced with a time");
}

TEST(SubgraphOptions, OptionsAreCheckedAsTheirSpecification) {
  EXPECT_TRUE(CheckSubgraphOptions({}, {}).ok());
  EXPECT_TRUE(CheckSubgraphOptions({SubgraphType::kInduced, 1}, {}).ok());
  EXPECT_FALSE(CheckSubgraphOptions({SubgraphType::kInduced, 0}, {}).ok());
  EXPECT_FALSE(CheckSubgraphOptions({SubgraphType::kDirectional, 1}, {}).ok());
  EXPECT_FALSE(
      CheckSubgraphOptions({SubgraphType::kInduced}, {.draw = DrawMode::kLabor})
          .ok());
  EXPECT_FALSE(
      CheckSubgraphOptions({SubgraphType::kInduced}, {.time = TimeMode::kEdge})
          .ok());
}

}  // namespace
}  // namespace tributary
