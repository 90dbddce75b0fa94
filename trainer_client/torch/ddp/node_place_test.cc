#include "trainer_client/torch/ddp/node_place.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

std::string ErrorOf(const NodePlace& place) {
  const absl::Status status = place.Validate();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TEST(NodePlaceTest, OneMachineNeedsNothing) {
  EXPECT_TRUE(NodePlace().Validate().ok());
  EXPECT_TRUE(NodePlace().serves_store());
  EXPECT_TRUE((NodePlace{.node_rank = 0, .master_port = 4000}.Validate().ok()));
}

TEST(NodePlaceTest, SeveralMachines) {
  const NodePlace first{.nnodes = 3, .node_rank = 0, .master_addr = "host"};
  const NodePlace last{.nnodes = 3, .node_rank = 2, .master_addr = "host"};
  EXPECT_TRUE(first.Validate().ok());
  EXPECT_TRUE(last.Validate().ok());
  EXPECT_TRUE(first.serves_store());
  EXPECT_FALSE(last.serves_store());
  EXPECT_EQ(RankInJob(2, 4, 3), 11);
}

TEST(NodePlaceTest, Contradictions) {
  EXPECT_EQ(ErrorOf({.nnodes = 2, .node_rank = 0}),
            "--nnodes 2 without --master-addr; give the host name or address "
            "of the machine with --node-rank 0");
  EXPECT_EQ(ErrorOf({.nnodes = 2, .master_addr = "h"}),
            "--nnodes 2 without --node-rank; give each machine another one, 0 "
            "to 1");
  EXPECT_EQ(ErrorOf({.nnodes = 2, .node_rank = 2, .master_addr = "h"}),
            "--node-rank is 2, allowed are 0 to 1 with --nnodes 2");
  EXPECT_EQ(ErrorOf({.node_rank = 1}),
            "--node-rank is 1 of one machine, allowed is 0; or give --nnodes");
  EXPECT_NE(ErrorOf({.master_addr = "h"}).find("--master-addr is \"h\""),
            std::string::npos);
  EXPECT_NE(ErrorOf({.nnodes = 0}).find("--nnodes is 0"), std::string::npos);
}

}  // namespace
}  // namespace tributary
