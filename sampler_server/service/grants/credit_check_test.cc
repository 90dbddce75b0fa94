// The rows that credits say their trainers hold.
#include "sampler_server/service/grants/credit_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/hot_list_of.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HotLists TwoLists() {
  GraphSpec spec{.num_nodes = 6, .edges = {{0, 1}}};
  spec.x = {1, 2, 3, 4, 5, 6};
  const auto graph = BuildGraph(spec);
  return {HotListOf(*graph, 1), HotListOf(*graph, 2)};
}

v1::Credit CreditWith(std::string digest, std::vector<uint32_t> rows) {
  v1::Credit credit;
  credit.mutable_held()->set_list_digest(std::move(digest));
  for (const uint32_t n : rows) credit.mutable_held()->add_num_rows(n);
  return credit;
}

std::string DigestOf(const HotList& list) {
  return {list.digest().begin(), list.digest().end()};
}

TEST(TrainerRowsOf, FindsTheListThatIsNamed) {
  const HotLists lists = TwoLists();
  const auto rows =
      TrainerRowsOf(CreditWith(DigestOf(*lists[1]), {4, UINT32_MAX}), lists, 3);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_NE(*rows, nullptr);
  EXPECT_EQ((*rows)->list, lists[1]);
  EXPECT_THAT((*rows)->num_rows, ElementsAre(4, UINT32_MAX, 0));
}

TEST(TrainerRowsOf, WithoutTheListBatchesAreWhole) {
  const HotLists lists = TwoLists();
  EXPECT_EQ(*TrainerRowsOf(v1::Credit(), lists, 1), nullptr);
  EXPECT_EQ(*TrainerRowsOf(CreditWith(DigestOf(*lists[0]), {1}), {}, 1),
            nullptr);
  EXPECT_EQ(*TrainerRowsOf(CreditWith(std::string(32, 'x'), {1}), lists, 1),
            nullptr);
}

TEST(TrainerRowsOf, WhatIsNoListIsRefused) {
  const HotLists lists = TwoLists();
  const auto refused = [&](const v1::Credit& credit, const char* what) {
    const auto rows = TrainerRowsOf(credit, lists, 2);
    EXPECT_TRUE(absl::IsInvalidArgument(rows.status())) << rows.status();
    EXPECT_THAT(rows.status().ToString(), HasSubstr(what));
  };
  refused(CreditWith("", {1}), "hot list's digest is 0; it has 32 bytes");
  refused(CreditWith(std::string(33, 'x'), {1}), "it has 32 bytes");
  refused(CreditWith(DigestOf(*lists[0]), {1, 2, 3}),
          "number of node types is 3; the graph has 2");
}

// Rows that a credit names are counted while it waits.
TEST(TrainerRowsOf, TheyCountAsInputs) {
  const HotLists lists = TwoLists();
  BatchRequest request;
  const uint64_t without = InputBytes(request);
  request.trainer_rows =
      *TrainerRowsOf(CreditWith(DigestOf(*lists[0]), {1}), lists, 100);
  EXPECT_EQ(InputBytes(request), without + 100 * sizeof(uint32_t));
}

// It is copied into requests to peers, and kept.
TEST(MakeBatchRequest, ATraceIdHasSixteenBytes) {
  auto plan = std::make_shared<SamplingPlan>();
  plan->batch_size = 1;
  plan->input_count = 1;
  v1::Credit credit;
  credit.add_input_number(0);
  credit.add_original_id(0);
  credit.set_max_bytes(1024);
  credit.set_timeout_ms(1000);
  const auto request = [&](size_t bytes) {
    credit.set_trace_id(std::string(bytes, 't'));
    return MakeBatchRequest(credit, {}, plan, 0, absl::UnixEpoch()).status();
  };
  EXPECT_TRUE(request(0).ok()) << request(0);
  EXPECT_TRUE(request(16).ok()) << request(16);
  for (const size_t bytes : {1, 15, 17, 100000}) {
    EXPECT_TRUE(absl::IsInvalidArgument(request(bytes)));
    EXPECT_THAT(request(bytes).ToString(), HasSubstr("0 or 16 bytes"));
  }
}

}  // namespace
}  // namespace tributary
