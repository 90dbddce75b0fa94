#include "sampler_server/service/control_calls.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class GetInputIdsTest : public testing::Test {
 protected:
  GetInputIdsTest() { request_.set_split("train"); }

  absl::StatusOr<InputIdsPage> Serve() {
    return ServeGetInputIds(*graph_, request_);
  }

  const std::shared_ptr<const Graph> graph_ =
      BuildGraph({.num_nodes = 4,
                  .edges = {{0, 1}, {2, 3}},
                  .splits = {{"a/train", {3, 0, 2}}},
                  .edge_splits = {{"b/train", {2, 3, 1, 1, 1, -1}}}});
  v1::GetInputIdsRequest request_;
};

TEST_F(GetInputIdsTest, NodesComeInTheirOrderFromTheOffset) {
  request_.set_offset(1);
  const auto page = Serve();
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->ids, ElementsAre(0, 2));
  EXPECT_EQ(page->header.total(), 3);
  EXPECT_EQ(page->header.count(), 2);
}

TEST_F(GetInputIdsTest, EdgesComeWithEndsAndIds) {
  request_.set_edge_type("node,to,node");
  auto page = Serve();
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->ids, ElementsAre(2, 3, 1, 1, 1, -1));
  EXPECT_EQ(page->header.total(), 6);
  request_.set_offset(5);
  page = Serve();
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_THAT(page->ids, ElementsAre(-1));
}

TEST_F(GetInputIdsTest, RefusalsSayWhatThereIs) {
  request_.set_offset(4);
  EXPECT_EQ(Serve().status().code(), absl::StatusCode::kOutOfRange);
  request_.set_edge_type("node,of,node");
  absl::Status status = Serve().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("'node,of,node'; the graph has node,to,node"));
  request_.set_edge_type("node,to,node");
  request_.set_split("a/train");
  status = Serve().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("allowed: b/train"));
}

}  // namespace
}  // namespace tributary
