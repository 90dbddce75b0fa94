#include "cli/hot/hot_choice.h"

#include <string>
#include <vector>

#include "cli/hot/access_counts.h"
#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HotSize, RatiosAndBytes) {
  EXPECT_EQ(HotSize::Parse("0.2")->ratio, 0.2);
  EXPECT_EQ(HotSize::Parse("1")->ratio, 1);
  EXPECT_EQ(HotSize::Parse("2")->bytes, 2u);
  EXPECT_EQ(HotSize::Parse("2GB")->bytes, uint64_t{2} << 30);
  EXPECT_EQ(HotSize::Parse("1.5MiB")->ratio, std::nullopt);
  for (const std::string wrong :
       {"", "0", "-0.1", "1.5", "nan", "much", "0.2%"}) {
    const absl::Status refused = HotSize::Parse(wrong).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("--hot-cache"));
  }
}

// 10 nodes, 8 of them remote: one was read 5 times, three 2 times, two once,
// and two never. Replies take 20 bytes, cached rows 10.
HotType TenNodes() {
  HotType type{10, 20, 10, {}};
  type.remote = {{0, {2, 1}}, {1, {2, 3}}, {2, {3, 6}}, {5, {1, 4}}};
  return type;
}

TEST(ChooseHotRows, TakesTheMostReadFirst) {
  const std::vector<HotType> types = {TenNodes()};
  const auto chosen = [&](const std::string& size) {
    return ChooseHotRows(*HotSize::Parse(size), types)[0];
  };
  const auto predicted = [&](const std::string& size) {
    return PredictRemote(types, ChooseHotRows(*HotSize::Parse(size), types));
  };
  EXPECT_EQ(CountRemote(types).rows, 14);
  EXPECT_EQ(CountRemote(types).bytes, 280);
  EXPECT_EQ(chosen("0.09").rows, 0u);
  EXPECT_EQ(predicted("0.09").rows, 14);
  EXPECT_EQ(chosen("0.1").above, 5u);
  EXPECT_EQ(predicted("0.1").rows, 10);
  // Two of three that tie: a third of their 6 reads stays.
  EXPECT_EQ(chosen("0.3").above, 2u);
  EXPECT_EQ(chosen("0.3").ties, 2u);
  EXPECT_EQ(chosen("0.3").rows, 3u);
  EXPECT_DOUBLE_EQ(predicted("0.3").rows, 10 - 4);
  // Never more than were read.
  EXPECT_EQ(chosen("1").rows, 6u);
  EXPECT_EQ(predicted("1").rows, 1);
  EXPECT_EQ(chosen("45").rows, 4u);
  EXPECT_EQ(chosen("9").rows, 0u);
}

// By bytes the type comes first whose rows save more for each byte; a type
// without features is never cached, but asked for.
TEST(ChooseHotRows, TypesShareBytes) {
  HotType wide{4, 100, 100, {{3, {2, 6}}}};
  HotType narrow{4, 20, 10, {{1, {1, 1}}, {2, {2, 4}}}};
  HotType bare{4, 8, 0, {{9, {1, 9}}}};
  const std::vector<HotType> types = {wide, narrow, bare};
  const auto rows = [&](const std::string& size) {
    std::vector<uint64_t> found;
    for (const auto& c : ChooseHotRows(*HotSize::Parse(size), types)) {
      found.push_back(c.rows);
    }
    return found;
  };
  EXPECT_THAT(rows("20"), ElementsAre(0, 2, 0));
  EXPECT_THAT(rows("125"), ElementsAre(1, 2, 0));
  EXPECT_THAT(rows("0.25"), ElementsAre(1, 1, 0));
  EXPECT_EQ(CountRemote(types).bytes, 600 + 100 + 72);
  const auto one_each = ChooseHotRows(*HotSize::Parse("0.25"), types);
  EXPECT_DOUBLE_EQ(PredictRemote(types, one_each).bytes,
                   300 + 20 * (1 + 2) + 72);
}

GraphSchema TwoTypes() {
  GraphSchema schema;
  schema.heterogeneous = true;
  schema.node_types = {{.name = "a", .num_nodes = 3},
                       {.name = "b", .num_nodes = 2}};
  return schema;
}

// Returns a batch whose nodes of type a are `ids`.
AlignedBuffer BatchOf(const std::vector<int64_t>& ids) {
  BatchLayout layout(BatchKey{});
  const int n_id =
      layout.Add("n_id/a", DType::kInt64, {static_cast<int64_t>(ids.size())});
  AlignedBuffer room(layout.Finish());
  layout.WriteHeader(room.span());
  std::copy(
      ids.begin(), ids.end(),
      reinterpret_cast<int64_t*>(layout.Tensor(n_id, room.span()).data()));
  return room;
}

TEST(AccessCounts, CountsEachRowOfABatch) {
  AccessCounts counts(TwoTypes());
  const AlignedBuffer room = BatchOf({0, 2, 2});
  ASSERT_TRUE(counts.Add(BatchView::Parse(room.span()).value()).ok());
  ASSERT_TRUE(counts.Add(BatchView::Parse(room.span()).value()).ok());
  EXPECT_THAT(counts.of(0), ElementsAre(2, 0, 4));
  EXPECT_THAT(counts.of(1), ElementsAre(0, 0));
  counts.Clear();
  EXPECT_THAT(counts.of(0), ElementsAre(0, 0, 0));
  const AlignedBuffer wrong = BatchOf({3});
  const absl::Status refused =
      counts.Add(BatchView::Parse(wrong.span()).value());
  EXPECT_EQ(refused.code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace tributary
