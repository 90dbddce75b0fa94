// What meets a predicate, to the last bit, through hops that take all of it.
#include "sampler_server/engine/hop/edge_predicate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/testing/hop_rows.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;
using Drawn = std::vector<Positions>;

// Positions of a row with these values of edge_attr[0].
template <typename T>
Positions Meeting(const std::vector<T>& values, DType dtype,
                  const std::string& condition) {
  HopRows rows({values.size()});
  rows.SetAttributes(values);
  EdgeTypeSchema type = EdgeTypeWithColumns();
  type.edge_attr = ColumnSchema{dtype, 0};
  const AskedNodes asked(1);
  HopQuery query = asked.Query(-1, false);
  query.predicate = PredicateOf(condition.c_str(), type);
  return PositionsDrawn(rows, query)->at(0);
}

TEST(EdgePredicate, EveryComparison) {
  const std::vector<float> values = {1, 2, 3};
  const auto meeting = [&](const std::string& condition) {
    return Meeting(values, DType::kFloat32, "edge_attr[0] " + condition);
  };
  EXPECT_EQ(meeting("< 2"), (Positions{0}));
  EXPECT_EQ(meeting("<= 2"), (Positions{0, 1}));
  EXPECT_EQ(meeting("== 2"), (Positions{1}));
  EXPECT_EQ(meeting("!= 2"), (Positions{0, 2}));
  EXPECT_EQ(meeting(">= 2"), (Positions{1, 2}));
  EXPECT_EQ(meeting("> 2"), (Positions{2}));
  EXPECT_EQ(meeting("> 1 and edge_attr[0] < 3"), (Positions{1}));
}

// A float32 is compared as the number it is, not as what was typed.
TEST(EdgePredicate, FloatsAreComparedInFloat64) {
  const std::vector<float> values = {0.1f, 0.5f, -0.0f, 16777216.0f};
  const auto meeting = [&](const std::string& condition) {
    return Meeting(values, DType::kFloat32, "edge_attr[0] " + condition);
  };
  EXPECT_EQ(meeting("== 0.1"), (Positions{}));
  EXPECT_EQ(meeting("> 0.1"), (Positions{0, 1, 3}));  // 0.1f is more
  EXPECT_EQ(meeting("== 0.10000000149011612"), (Positions{0}));
  EXPECT_EQ(meeting("== 0.5"), (Positions{1}));
  EXPECT_EQ(meeting("== 0"), (Positions{2}));
  EXPECT_EQ(meeting(">= 16777217"), (Positions{}));
}

TEST(EdgePredicate, ANanMeetsNothing) {
  const std::vector<double> values = {std::nan(""), 1, -std::nan("")};
  for (const char* condition : {"< 5", "<= 5", ">= 0", "> 0", "!= 7"}) {
    EXPECT_EQ(Meeting(values, DType::kFloat64,
                      std::string("edge_attr[0] ") + condition),
              (Positions{1}))
        << condition;
  }
  EXPECT_EQ(Meeting(values, DType::kFloat64, "edge_attr[0] == 7"),
            (Positions{}));
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      Meeting<double>({inf, -inf}, DType::kFloat64, "edge_attr[0] > 1e300"),
      (Positions{0}));
}

// Number `index` of rows of two that are stored as int8 with a scale: the int8
// times the scale. More than 64 rows are multiplied out in turns.
TEST(EdgePredicate, ScaledRowsAreComparedByTheirProducts) {
  constexpr size_t kEdges = 150;
  std::vector<uint8_t> stored;
  Positions above, equal;
  for (size_t e = 0; e < kEdges; ++e) {
    const float scale = e % 3 == 0 ? 0.5f : 0.25f;
    const auto second = static_cast<int8_t>(e % 20 - 10);
    const uint8_t values[] = {99, static_cast<uint8_t>(second)};
    stored.insert(stored.end(), values, values + 2);
    stored.resize(stored.size() + sizeof(scale));
    std::memcpy(&stored[stored.size() - sizeof(scale)], &scale, sizeof(scale));
    if (static_cast<float>(second) * scale > 2) above.push_back(e);
    if (static_cast<float>(second) * scale == 2) equal.push_back(e);
  }
  ASSERT_GT(above.size(), 5);
  ASSERT_GT(equal.size(), 5);
  HopRows rows({kEdges});
  rows.SetAttributes(stored);
  EdgeTypeSchema type = EdgeTypeWithColumns();
  type.edge_attr = ColumnSchema{DType::kInt8, 2, /*scaled=*/true};
  const AskedNodes asked(1);
  HopQuery query = asked.Query(-1, false);
  query.predicate = PredicateOf("edge_attr[1] > 2", type);
  EXPECT_EQ(PositionsDrawn(rows, query)->at(0), above);
  query.predicate = PredicateOf("edge_attr[1] == 2", type);
  EXPECT_EQ(PositionsDrawn(rows, query)->at(0), equal);
}

TEST(EdgePredicate, WholeNumbersAreComparedIn64Bits) {
  const int64_t large = (int64_t{1} << 53) + 1;
  EXPECT_EQ(Meeting<int64_t>({large - 1, large, large + 1}, DType::kInt64,
                             "edge_attr[0] == 9007199254740993"),
            (Positions{1}));
  EXPECT_EQ(Meeting<int8_t>({-1, 0, 1}, DType::kInt8, "edge_attr[0] < 0"),
            (Positions{0}));
  EXPECT_EQ(Meeting<uint8_t>({255, 0, 1}, DType::kUint8, "edge_attr[0] > 128"),
            (Positions{0}));
  EXPECT_EQ(Meeting<uint8_t>({1, 0, 1}, DType::kBool, "edge_attr[0] == 1"),
            (Positions{0, 2}));
  EXPECT_EQ(
      Meeting<int16_t>({300, -300}, DType::kInt16, "edge_attr[0] <= -300"),
      (Positions{1}));
  EXPECT_EQ(Meeting<int32_t>({70'000, 7}, DType::kInt32, "edge_attr[0] != 7"),
            (Positions{0}));
}

TEST(EdgePredicate, TimesAreFoundInTheirOrder) {
  HopRows rows({5, 1});
  rows.SetEdgeTimes({5, -3, 5, 9, 0, 5});
  const AskedNodes asked(2);
  HopQuery query = asked.Query(-1, false);
  const auto meeting = [&](const char* condition) {
    query.predicate = PredicateOf(condition);
    return *PositionsDrawn(rows, query);
  };
  EXPECT_EQ(meeting("edge_time < 5"), (Drawn{{1, 4}, {}}));
  EXPECT_EQ(meeting("edge_time <= 5"), (Drawn{{0, 1, 2, 4}, {0}}));
  EXPECT_EQ(meeting("edge_time == 5"), (Drawn{{0, 2}, {0}}));
  EXPECT_EQ(meeting("edge_time != 5"), (Drawn{{1, 3, 4}, {}}));
  EXPECT_EQ(meeting("edge_time >= 5"), (Drawn{{0, 2, 3}, {0}}));
  EXPECT_EQ(meeting("edge_time > 5"), (Drawn{{3}, {}}));
  EXPECT_EQ(meeting("edge_time > -9 and edge_time < -1"), (Drawn{{1}, {}}));
}

// Rows that begin anywhere, of any length, against a look at each byte.
TEST(EdgePredicate, MasksAreReadEightEdgesAtATime) {
  const std::vector<uint64_t> degrees = {3, 130, 0, 8, 64, 1, 65, 71};
  HopRows rows(degrees);
  std::vector<uint8_t> test, train;
  for (uint64_t e = 0; e < rows.num_edges(); ++e) {
    test.push_back(e * e % 7 < 3);
    train.push_back(e * 5 % 11 < 6);
  }
  rows.AddMask(test);
  rows.AddMask(train);
  const AskedNodes asked(degrees.size());
  HopQuery query = asked.Query(-1, false);
  const auto expected = [&](const std::vector<uint8_t>& mask, auto meets) {
    Drawn drawn;
    for (size_t row = 0; row < degrees.size(); ++row) {
      Positions& positions = drawn.emplace_back();
      for (uint64_t p = 0; p < degrees[row]; ++p) {
        if (meets(mask[rows.indptr[row] + p])) positions.push_back(p);
      }
    }
    return drawn;
  };
  const auto meeting = [&](const char* condition) {
    query.predicate = PredicateOf(condition);
    return *PositionsDrawn(rows, query);
  };
  const auto is_true = [](int value) { return value == 1; };
  const auto is_false = [](int value) { return value == 0; };
  const auto any = [](int) { return true; };
  const auto none = [](int) { return false; };
  EXPECT_EQ(meeting("edge_mask[train] == 1"), expected(train, is_true));
  EXPECT_EQ(meeting("edge_mask[test] != 0"), expected(test, is_true));
  EXPECT_EQ(meeting("edge_mask[test] >= 1"), expected(test, is_true));
  EXPECT_EQ(meeting("edge_mask[train] == 0"), expected(train, is_false));
  EXPECT_EQ(meeting("edge_mask[train] < 1"), expected(train, is_false));
  EXPECT_EQ(meeting("edge_mask[train] <= 0"), expected(train, is_false));
  EXPECT_EQ(meeting("edge_mask[train] > -1"), expected(train, any));
  EXPECT_EQ(meeting("edge_mask[train] == 2"), expected(train, none));
}

// Row 0 is node 65, whose edge 65 is one; row 1, node 66, has edges 70 to 139.
TEST(EdgePredicate, SelfLoopsAreOfTheRowsNode) {
  for (const bool wide : {false, true}) {
    const HopRows rows({70, 70}, wide);
    const AskedNodes asked(2);
    HopQuery query = asked.Query(-1, false);
    query.first_node = 65;
    query.predicate = PredicateOf("self_loop == 1");
    EXPECT_EQ(*PositionsDrawn(rows, query), (Drawn{{65}, {}}));
    query.predicate = PredicateOf("self_loop != 1");
    const auto others = PositionsDrawn(rows, query);
    EXPECT_EQ(others->at(0).size(), 69);
    EXPECT_EQ(others->at(0)[64], 64);
    EXPECT_EQ(others->at(0)[65], 66);
    EXPECT_EQ(others->at(1).size(), 70);
  }
}

TEST(EdgePredicate, NeedsItsColumns) {
  const AskedNodes asked(1);
  for (const char* text : {"edge_attr[1] > 0", "edge_weight > 0",
                           "edge_time > 0", "edge_mask[train] > 0"}) {
    HopQuery query = asked.Query(2, false);
    query.predicate = PredicateOf(text);
    EXPECT_EQ(PositionsDrawn(HopRows({3}), query).status().code(),
              absl::StatusCode::kFailedPrecondition)
        << text;
    EXPECT_EQ(*PositionsDrawn(HopRows({0}), query), (Drawn{{}})) << text;
    HopRows few({3});
    few.edge_attr.resize(7);
    few.weight.resize(1);
    few.edge_time.time.resize(2);
    few.AddMask({1, 1, 1});
    few.AddMask({1, 1});
    EXPECT_EQ(PositionsDrawn(few, query).status().code(),
              absl::StatusCode::kDataLoss)
        << text;
  }
  EXPECT_EQ(EdgePredicate::Make(EdgeTypeWithColumns(), {}).value(), nullptr);
  EXPECT_FALSE(
      EdgePredicate::Make(EdgeTypeWithColumns(),
                          ParseEdgePredicates("edge_attr[2] > 0")->by_default)
          .ok());
}

}  // namespace
}  // namespace tributary
