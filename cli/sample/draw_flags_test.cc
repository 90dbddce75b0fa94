#include "cli/sample/draw_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/command/command.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// As the command line gives them.
absl::StatusOr<DrawRequest> Read(const std::string& line,
                                 bool replace = false) {
  CLI::App app;
  DrawFlags flags;
  DeclareDrawFlags(app, flags);
  app.parse(line);
  return ReadDrawFlags(flags, replace);
}

std::string Refusal(const std::string& line, bool replace = false) {
  const auto request = Read(line, replace);
  if (request.ok()) return "accepted";
  EXPECT_EQ(ExitCodeOf(request.status()), kExitUsage);
  EXPECT_THAT(std::string(request.status().message()), HasSubstr("allowed: "));
  return std::string(request.status().message());
}

TEST(DrawFlagsTest, NothingIsAskedForByDefault) {
  const auto request = Read("");
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->draws, DrawOptions());
  EXPECT_TRUE(request->input_time.empty());
  EXPECT_EQ(request->input_time_file, "");
}

TEST(DrawFlagsTest, ReadsEachFlag) {
  EXPECT_EQ(Read("--draw weighted")->draws.draw, DrawMode::kWeighted);
  const auto labor = Read("--draw labor --layer-dependency");
  EXPECT_EQ(labor->draws.draw, DrawMode::kLabor);
  EXPECT_TRUE(labor->draws.layer_dependency);
  EXPECT_TRUE(Read("--disjoint")->draws.disjoint);
  const auto timed =
      Read("--time node --temporal-strategy last --strict --input-time 5,-7");
  ASSERT_TRUE(timed.ok()) << timed.status();
  EXPECT_EQ(timed->draws.time, TimeMode::kNode);
  EXPECT_EQ(timed->draws.temporal_strategy, TemporalStrategy::kLast);
  EXPECT_TRUE(timed->draws.strict);
  EXPECT_EQ(timed->draws.input_time, InputTimeMode::kGiven);
  EXPECT_THAT(timed->input_time, ElementsAre(5, -7));
}

TEST(DrawFlagsTest, PredicatesAreReadOrRefused) {
  const auto request =
      Read("--edge-predicate 'edge_time < 5;a,b,c:edge_weight > 0.5'");
  ASSERT_TRUE(request.ok()) << request.status();
  const EdgePredicates& predicates = request->draws.edge_predicates;
  ASSERT_EQ(predicates.by_default.size(), 1u);
  EXPECT_EQ(predicates.by_default[0].ToString(), "edge_time < 5");
  EXPECT_EQ(predicates.by_edge_type.at("a,b,c")[0].ToString(),
            "edge_weight > 0.5");
  for (const char* text : {"edge_size < 5", "edge_time < 5;edge_time > 1",
                           "a,b,c:edge_time<1;a,b,c:edge_time<2"}) {
    EXPECT_THAT(Refusal(std::string("--edge-predicate '") + text + "'"),
                HasSubstr("edge_predicate: "));
  }
}

TEST(DrawFlagsTest, AMaskIsAName) {
  EXPECT_EQ(Read("--edge-mask train")->draws.edge_mask, "train");
  EXPECT_EQ(Read("")->draws.edge_mask, "");
  DrawFlags none;
  none.edge_mask = "";
  EXPECT_THAT(std::string(ReadDrawFlags(none, false).status().message()),
              HasSubstr("the name of a mask"));
}

TEST(DrawFlagsTest, InputTimesAreOwnUnlessGiven) {
  EXPECT_EQ(Read("--time edge")->draws.input_time, InputTimeMode::kOwn);
  EXPECT_EQ(Read("--time edge --input-time own")->draws.input_time,
            InputTimeMode::kOwn);
  const auto file = Read("--time edge --input-time @t.npy");
  EXPECT_EQ(file->draws.input_time, InputTimeMode::kGiven);
  EXPECT_EQ(file->input_time_file, "t.npy");
}

TEST(DrawFlagsTest, RefusesUnknownValues) {
  EXPECT_THAT(
      Refusal("--draw biased"),
      HasSubstr("--draw \"biased\"\nallowed: uniform, weighted, labor"));
  EXPECT_THAT(Refusal("--time day"), HasSubstr("none, edge, node"));
  EXPECT_THAT(Refusal("--time edge --temporal-strategy first"),
              HasSubstr("uniform, last"));
  for (const char* times : {"x", "1,", "1.5", "@", "9223372036854775808"}) {
    EXPECT_THAT(Refusal(std::string("--time edge --input-time ") + times),
                HasSubstr("--input-time"));
  }
}

TEST(DrawFlagsTest, RefusesWhatDoesNotGoTogether) {
  EXPECT_THAT(Refusal("--strict"), HasSubstr("strict: without a time"));
  EXPECT_THAT(Refusal("--temporal-strategy last"),
              HasSubstr("temporal_strategy: last without a time"));
  EXPECT_THAT(Refusal("--input-time own"),
              HasSubstr("input_time: without a time"));
  EXPECT_THAT(Refusal("--input-time 5"),
              HasSubstr("input_time: without a time"));
  EXPECT_THAT(Refusal("--layer-dependency"),
              HasSubstr("layer_dependency: without labor"));
  EXPECT_THAT(Refusal("--draw weighted --time edge"),
              HasSubstr("weighted with a time"));
  EXPECT_THAT(Refusal("--draw labor --disjoint"),
              HasSubstr("labor with disjoint"));
  EXPECT_THAT(Refusal("--draw labor", /*replace=*/true),
              HasSubstr("labor with replacement"));
  EXPECT_THAT(Refusal("--time edge --temporal-strategy last", /*replace=*/true),
              HasSubstr("last with replacement"));
}

}  // namespace
}  // namespace tributary
