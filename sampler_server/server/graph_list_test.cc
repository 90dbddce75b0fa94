#include "sampler_server/server/graph_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PartitionChoice kDefault = {1, 3};

TEST(GraphListTest, AGraphALineWithItsPartitionsOrTheDefault) {
  const auto sources = ParseGraphFile(
      "# of the week\n/data/monday.graph\n\n"
      "/data/tuesday.graph\t0,2  # half\r\n/data/all.graph all",
      "list", kDefault);
  ASSERT_TRUE(sources.ok()) << sources.status();
  EXPECT_THAT(*sources, ElementsAre(ListedGraph{"/data/monday.graph", {1, 3}},
                                    ListedGraph{"/data/tuesday.graph", {0, 2}},
                                    ListedGraph{"/data/all.graph", {}}));
}

TEST(GraphListTest, WhatIsWrongIsSaidWithItsLine) {
  const struct {
    const char* text;
    const char* says;
  } cases[] = {
      {"a.graph\nb.graph 0 1\n", "list:2: 3 words; allowed: FOLDER or "},
      {"a.graph\n\nb.graph 0,x\n", "list:3: partition \"x\"; allowed: all"},
      {"a.graph 4%4", "list:1: partition \"4%4\""},
      {"a.graph -1", "list:1: partition \"-1\""},
      {"a.graph 4294967296", "list:1: partition \"4294967296\""},
      {"a.graph\na.graph 1", "list:2: a.graph is listed already"},
      {"", "list lists no graph"},
      {"# a.graph\n", "list lists no graph"},
  };
  for (const auto& c : cases) {
    const auto sources = ParseGraphFile(c.text, "list", kDefault);
    EXPECT_EQ(sources.status().code(), absl::StatusCode::kInvalidArgument)
        << c.text;
    EXPECT_THAT(std::string(sources.status().message()), HasSubstr(c.says));
  }
}

}  // namespace
}  // namespace tributary
