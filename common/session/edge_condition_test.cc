#include "common/session/edge_condition.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/proto/session.pb.h"

namespace tributary {
namespace {

EdgeCondition Whole(EdgeColumn column, Comparison comparison, int64_t whole) {
  EdgeCondition condition;
  condition.column = column;
  condition.comparison = comparison;
  condition.whole = whole;
  return condition;
}

EdgeCondition Attr(uint32_t index, Comparison comparison, double decimal) {
  EdgeCondition condition;
  condition.index = index;
  condition.comparison = comparison;
  condition.is_whole = false;
  condition.decimal = decimal;
  return condition;
}

TEST(ParseEdgePredicates, OneOfEachColumn) {
  const auto parsed = ParseEdgePredicates(
      "edge_attr[12]>=0.5 and  edge_weight != 0 and edge_time<-100 and "
      "self_loop == 0");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->by_default,
            (std::vector<EdgeCondition>{
                Attr(12, Comparison::kGreaterOrEqual, 0.5),
                Whole(EdgeColumn::kWeight, Comparison::kNotEqual, 0),
                Whole(EdgeColumn::kTime, Comparison::kLess, -100),
                Whole(EdgeColumn::kSelfLoop, Comparison::kEqual, 0)}));
  EXPECT_TRUE(parsed->by_edge_type.empty());
}

EdgeCondition Mask(const std::string& name, Comparison comparison,
                   int64_t whole) {
  EdgeCondition condition = Whole(EdgeColumn::kMask, comparison, whole);
  condition.mask = name;
  return condition;
}

TEST(ParseEdgePredicates, MasksByName) {
  const auto parsed = ParseEdgePredicates(
      "edge_mask[train] == 0 and edge_mask[held-out.2] != 0;"
      "a,b,c:edge_mask[edge_time]>0");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->by_default,
            (std::vector<EdgeCondition>{
                Mask("train", Comparison::kEqual, 0),
                Mask("held-out.2", Comparison::kNotEqual, 0)}));
  EXPECT_EQ(
      parsed->by_edge_type.at("a,b,c"),
      (std::vector<EdgeCondition>{Mask("edge_time", Comparison::kGreater, 0)}));
  EXPECT_EQ(parsed->by_default[0].ToString(), "edge_mask[train] == 0");
}

TEST(ParseEdgePredicates, EveryComparison) {
  const std::pair<const char*, Comparison> all[] = {
      {"<", Comparison::kLess},
      {"<=", Comparison::kLessOrEqual},
      {"==", Comparison::kEqual},
      {"!=", Comparison::kNotEqual},
      {">=", Comparison::kGreaterOrEqual},
      {">", Comparison::kGreater}};
  for (const auto& [sign, comparison] : all) {
    const std::string text = std::string("edge_time ") + sign + " 7";
    const auto parsed = ParseEdgePredicates(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->by_default[0], Whole(EdgeColumn::kTime, comparison, 7));
    EXPECT_EQ(parsed->by_default[0].ToString(), text);
  }
}

TEST(ParseEdgePredicates, ByEdgeType) {
  const auto parsed = ParseEdgePredicates(
      "edge_weight > 0; a,x:y,b : edge_attr[0] == 1 and edge_time < 5");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->by_default.size(), 1u);
  ASSERT_EQ(parsed->by_edge_type.count("a,x:y,b"), 1u);
  EXPECT_EQ(parsed->by_edge_type.at("a,x:y,b"),
            (std::vector<EdgeCondition>{
                Whole(EdgeColumn::kAttr, Comparison::kEqual, 1),
                Whole(EdgeColumn::kTime, Comparison::kLess, 5)}));
}

// Equal numbers give equal conditions, and therefore the same session.
TEST(ParseEdgePredicates, WholeHoweverItIsWritten) {
  for (const char* text : {"1000", "1000.0", "1e3", "+1000", "1000."}) {
    const auto parsed =
        ParseEdgePredicates(std::string("edge_time == ") + text);
    ASSERT_TRUE(parsed.ok()) << text << parsed.status();
    EXPECT_EQ(parsed->by_default[0],
              Whole(EdgeColumn::kTime, Comparison::kEqual, 1000))
        << text;
  }
  // Beyond 2^53 only integers are exact.
  const auto most = ParseEdgePredicates("edge_time < 9223372036854775807");
  EXPECT_EQ(most->by_default[0].whole, std::numeric_limits<int64_t>::max());
  const auto large = ParseEdgePredicates("edge_weight < 1e300");
  EXPECT_FALSE(large->by_default[0].is_whole);
}

TEST(ParseEdgePredicates, RefusesWithWhatIsAllowed) {
  for (const char* text : {"",
                           "edge_attr > 1",
                           "edge_attr[] > 1",
                           "edge_attr[-1] > 1",
                           "edge_attr[1 > 1",
                           "edge_size > 1",
                           "edge_time = 1",
                           "edge_time 1",
                           "edge_time <",
                           "edge_time < x",
                           "edge_time < nan",
                           "edge_time < inf",
                           "edge_time < 1e999",
                           "edge_time < 1 and",
                           "edge_mask == 1",
                           "edge_mask[] == 1",
                           "edge_mask[train == 1",
                           "edge_mask[train]",
                           "edge_mask[train] = 1",
                           "not edge_mask[train]",
                           "edge_time < 1 or edge_time",
                           ":edge_time < 1",
                           "a,b,c:",
                           "edge_time <> 1",
                           "edge_time => 1",
                           "edge_time < 1,5"}) {
    const absl::Status status = ParseEdgePredicates(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_NE(status.message().find(
                  "edge_attr[I], edge_weight, edge_time, edge_mask[NAME] or "
                  "self_loop"),
              std::string::npos)
        << text << ": " << status;
  }
  EXPECT_NE(ParseEdgePredicates("edge_time<1;edge_time>0")
                .status()
                .message()
                .find("is a second default"),
            std::string::npos);
  EXPECT_NE(ParseEdgePredicates("a,b,c:edge_time<1;a,b,c:edge_time>0")
                .status()
                .message()
                .find("named twice"),
            std::string::npos);
  std::string many = "edge_time < 1";
  for (size_t i = 0; i < kMaxConditions; ++i) many += " and edge_time < 1";
  EXPECT_NE(ParseEdgePredicates(many).status().message().find("17 conditions"),
            std::string::npos);
}

// Columns of edge types, named after what they have.
const EdgeColumns kNone, kAll = {DType::kFloat32, 3, true, true},
                         kInts = {DType::kInt16, 1, false, false},
                         kHalves = {DType::kFloat16, 2, false, false};

void ExpectRefused(const EdgeColumns& stored, const EdgeCondition& condition,
                   const char* words) {
  const absl::Status status = CheckCondition("a,b,c", stored, condition);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find(words), std::string::npos) << status;
  EXPECT_NE(status.message().find("a,b,c"), std::string::npos) << status;
}

TEST(CheckCondition, NamesWhatThereIs) {
  const EdgeCondition weight =
      Whole(EdgeColumn::kWeight, Comparison::kGreater, 0);
  const EdgeCondition time = Whole(EdgeColumn::kTime, Comparison::kLess, 9);
  EXPECT_TRUE(CheckCondition("a,b,c", kAll, weight).ok());
  EXPECT_TRUE(CheckCondition("a,b,c", kAll, time).ok());
  EXPECT_TRUE(
      CheckCondition("a,b,c", kAll, Attr(2, Comparison::kLess, 0.5)).ok());
  ExpectRefused(kAll, Attr(3, Comparison::kLess, 0.5),
                "allowed: edge_attr[0] to edge_attr[2], edge_weight, "
                "edge_time");
  ExpectRefused(kInts, weight, "allowed: edge_attr[0]");
  const EdgeCondition loop =
      Whole(EdgeColumn::kSelfLoop, Comparison::kEqual, 0);
  ExpectRefused(kNone, loop, "'self_loop == 0', but edge type a,b,c has no");
  EdgeColumns loops;
  loops.self_loops = true;
  EXPECT_TRUE(CheckCondition("a,b,c", loops, loop).ok());
  ExpectRefused(loops, weight, "allowed: self_loop");
  ExpectRefused(kNone, time,
                "'edge_time < 9', but edge type a,b,c has no "
                "such column; allowed: no columns");
}

TEST(CheckCondition, ConstantsFitTheColumn) {
  EXPECT_TRUE(
      CheckCondition("a,b,c", kInts,
                     Whole(EdgeColumn::kAttr, Comparison::kLess, 1 << 20))
          .ok());
  ExpectRefused(kInts, Attr(0, Comparison::kLess, 0.5), "a whole number");
  EdgeCondition time = Attr(0, Comparison::kLess, 0.5);
  time.column = EdgeColumn::kTime;
  ExpectRefused(kAll, time, "a whole number");
  ExpectRefused(kHalves, Attr(0, Comparison::kLess, 0.5), "16-bit floats");
}

v1::NeighborSampling Filled(const char* text) {
  v1::NeighborSampling neighbor;
  FillPredicates(*ParseEdgePredicates(text), &neighbor);
  return neighbor;
}

TEST(Predicates, ConditionsOfATypeAreItsOwnOrTheDefault) {
  const v1::NeighborSampling neighbor =
      Filled("edge_weight > 0;a,b,c:edge_time < 5");
  EXPECT_TRUE(CheckPredicates(neighbor).ok());
  EXPECT_EQ(ConditionsOf(neighbor, "a,b,c", kAll)->at(0).ToString(),
            "edge_time < 5");
  EXPECT_EQ(ConditionsOf(neighbor, "d,e,f", kAll)->at(0).ToString(),
            "edge_weight > 0");
  // A type without the default's column has no conditions; one that is named
  // must have it.
  EXPECT_TRUE(ConditionsOf(neighbor, "d,e,f", kInts)->empty());
  EXPECT_FALSE(ConditionsOf(neighbor, "a,b,c", kInts).ok());
  EXPECT_TRUE(ConditionsOf({}, "a,b,c", kAll)->empty());
}

TEST(Predicates, NoneTakeNoByte) {
  v1::NeighborSampling neighbor;
  FillPredicates({}, &neighbor);
  EXPECT_EQ(neighbor.ByteSizeLong(), 0u);
  EXPECT_TRUE(CheckPredicates(neighbor).ok());
}

template <typename Change>
void ExpectUnreadable(const char* word, Change change) {
  v1::NeighborSampling neighbor =
      Filled("edge_attr[1] < 0.5;a,b,c:edge_time<1");
  change(neighbor);
  const absl::Status status = CheckPredicates(neighbor);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << word;
  EXPECT_NE(status.message().find(word), std::string::npos) << status;
}

TEST(Predicates, OfAStrangerAreChecked) {
  using Neighbor = v1::NeighborSampling;
  const auto first = [](Neighbor& n) {
    return n.mutable_edge_predicates(0)->mutable_conditions(0);
  };
  ExpectUnreadable("column 9", [&](Neighbor& n) {
    first(n)->set_column(static_cast<v1::EdgeColumn>(9));
  });
  ExpectUnreadable("column 0", [&](Neighbor& n) { first(n)->clear_column(); });
  ExpectUnreadable("comparison 7", [&](Neighbor& n) {
    first(n)->set_comparison(static_cast<v1::Comparison>(7));
  });
  ExpectUnreadable("index 1", [&](Neighbor& n) {
    first(n)->set_column(v1::EDGE_COLUMN_TIME);
  });
  ExpectUnreadable("constant", [&](Neighbor& n) { first(n)->clear_decimal(); });
  ExpectUnreadable("constant", [&](Neighbor& n) {
    first(n)->set_decimal(std::numeric_limits<double>::quiet_NaN());
  });
  ExpectUnreadable("0 conditions", [](Neighbor& n) {
    n.mutable_edge_predicates(1)->clear_conditions();
  });
  ExpectUnreadable("out of order", [](Neighbor& n) {
    n.mutable_edge_predicates()->SwapElements(0, 1);
  });
  ExpectUnreadable("named twice", [](Neighbor& n) {
    n.mutable_edge_predicates(0)->set_edge_type("a,b,c");
  });
}

}  // namespace
}  // namespace tributary
