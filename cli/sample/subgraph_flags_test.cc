#include "cli/sample/subgraph_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<SubgraphOptions> Read(const std::string& line) {
  CLI::App app;
  SubgraphFlags flags;
  DeclareSubgraphFlags(app, flags);
  app.parse(line);
  return ReadSubgraphFlags(flags);
}

std::string Refusal(const std::string& line) {
  const auto options = Read(line);
  if (options.ok()) return "accepted";
  EXPECT_EQ(ExitCodeOf(options.status()), kExitUsage);
  return std::string(options.status().message());
}

TEST(SubgraphFlagsTest, ReadsEachFlag) {
  EXPECT_EQ(*Read(""), SubgraphOptions());
  EXPECT_EQ(Read("--subgraph-type bidirectional")->type,
            SubgraphType::kBidirectional);
  EXPECT_EQ(*Read("--subgraph-type induced"),
            (SubgraphOptions{SubgraphType::kInduced, uint64_t{1} << 28}));
  EXPECT_EQ(*Read("--subgraph-type induced --max-scanned-edges 9"),
            (SubgraphOptions{SubgraphType::kInduced, 9}));
}

TEST(SubgraphFlagsTest, RefusesWhatIsNone) {
  EXPECT_THAT(Refusal("--subgraph-type full"),
              HasSubstr("directional, bidirectional, induced"));
  EXPECT_THAT(Refusal("--max-scanned-edges 9"),
              HasSubstr("with --subgraph-type induced only"));
  for (const char* value : {"0", "4294967296", "-1", "1e6", "many"}) {
    EXPECT_THAT(
        Refusal(std::string("--subgraph-type induced --max-scanned-edges ") +
                value),
        HasSubstr("--max-scanned-edges"));
  }
}

}  // namespace
}  // namespace tributary
