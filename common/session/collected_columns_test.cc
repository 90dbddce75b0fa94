#include "common/session/collected_columns.h"

#include <string>
#include <vector>

#include "common/proto/session.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CollectedColumns, TextsAreReadAndWritten) {
  EXPECT_EQ(CollectedColumnsText(CollectedColumns()), "x,y,edge_attr");
  EXPECT_EQ(CollectedColumnsText(CollectedColumns::None()), "none");
  EXPECT_EQ(*CollectedColumnsFromText("none"), CollectedColumns::None());
  EXPECT_EQ(*CollectedColumnsFromText("edge_attr,x,y"), CollectedColumns());
  for (const char* text : {"x", "y", "edge_attr", "time", "weight", "seed_time",
                           "x,y,edge_attr,time,weight,seed_time", "y,weight"}) {
    EXPECT_EQ(CollectedColumnsText(*CollectedColumnsFromText(text)), text);
  }
}

TEST(CollectedColumns, OtherTextsAreRefused) {
  for (const char* text : {"", "X", "x,", "x, y", "x,none", "edge_time"}) {
    const absl::Status status = CollectedColumnsFromText(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("allowed: x, y, edge_attr, time, weight, seed_time"));
  }
  EXPECT_THAT(std::string(CollectedColumnsFromText("y,x,y").status().message()),
              HasSubstr("names y twice"));
}

TEST(CollectedColumns, EachSetHasOneSpecification) {
  v1::SessionSpec spec;
  SetCollectedColumns(CollectedColumns(), &spec);
  EXPECT_TRUE(spec.collect_features());
  EXPECT_EQ(spec.columns_size(), 0);
  SetCollectedColumns(CollectedColumns::None(), &spec);
  EXPECT_FALSE(spec.collect_features());
  EXPECT_EQ(spec.columns_size(), 0);
  SetCollectedColumns({CollectedColumn::kWeight, CollectedColumn::kX}, &spec);
  EXPECT_FALSE(spec.collect_features());
  EXPECT_THAT(spec.columns(),
              ElementsAre(v1::COLLECTED_COLUMN_X, v1::COLLECTED_COLUMN_WEIGHT));
  for (const char* text : {"none", "x,y,edge_attr", "x,y", "time", "y,weight",
                           "x,y,edge_attr,seed_time"}) {
    const CollectedColumns columns = *CollectedColumnsFromText(text);
    SetCollectedColumns(columns, &spec);
    EXPECT_EQ(*CollectedColumnsOf(spec), columns) << text;
  }
}

TEST(CollectedColumns, OtherFormsOfASpecificationAreRefused) {
  const auto refusal = [](bool usual, std::vector<int> columns) {
    v1::SessionSpec spec;
    spec.set_collect_features(usual);
    for (const int column : columns) {
      spec.add_columns(static_cast<v1::CollectedColumn>(column));
    }
    return std::string(CollectedColumnsOf(spec).status().message());
  };
  EXPECT_THAT(refusal(true, {1}), HasSubstr("true with columns [1]"));
  EXPECT_THAT(refusal(false, {1, 2, 3}), HasSubstr("allowed: true alone"));
  EXPECT_THAT(refusal(false, {2, 1}), HasSubstr("ascending"));
  EXPECT_THAT(refusal(false, {2, 2}), HasSubstr("each once"));
  EXPECT_THAT(refusal(false, {7}), HasSubstr("column 7; allowed: 1 to 6"));
  EXPECT_THAT(refusal(false, {0}), HasSubstr("column 0"));
  EXPECT_THAT(refusal(false, {-1}), HasSubstr("column -1"));
}

}  // namespace
}  // namespace tributary
