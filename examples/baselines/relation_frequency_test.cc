#include "examples/baselines/relation_frequency.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Relation 0: users (3) buy items (4). Relation 1: users know users.
//
//   train  0: (0, 0) (0, 1) (1, 1)      1: (0, 1)
//   test   0: (2, 1) (0, 2)             1: (1, 1)
class RelationFrequencyTest : public ::testing::Test {
 protected:
  RelationFrequencyTest() {
    train_.Add(0, 0, 0);
    train_.Add(0, 0, 1);
    train_.Add(0, 1, 1);
    train_.Add(1, 0, 1);
    test_.Add(0, 2, 1);
    test_.Add(1, 1, 1);
    test_.Add(0, 0, 2);
  }

  absl::StatusOr<RankSummary> Rank() {
    const auto group = ProcessGroup::Connect({}, absl::Seconds(10));
    if (!group.ok()) return group.status();
    const KnownAnswers known({&train_, &test_});
    const std::vector<RelationEnds> relations{{3, 4}, {3, 3}};
    RelationFrequency scorer(train_);
    return RankAmongAll(
        {.links = &test_, .known = &known, .relations = relations}, scorer,
        **group, [](uint64_t, uint64_t) { return absl::OkStatus(); });
  }

  TypedLinks train_, test_;
};

// Frequencies: items 1, 2, 0, 0 (relation 0); users 2, 1, 0 (relation 0),
// sources 1, 0, 0 and destinations 0, 1, 0 (relation 1).
//
//   (2, 0, ?) = 1: 2 > all others: rank 1
//   (?, 0, 1) = 2: users 0 and 1 are known and left out: rank 1
//   (1, 1, ?) = 1: 1 > 0, 0: rank 1
//   (?, 1, 1) = 1: user 0 is known; user 2 ties with 0: rank 1.5
//   (0, 0, ?) = 2: items 0 and 1 are known; item 3 ties: rank 1.5
//   (?, 0, 2) = 0: 2 > 1, 0: rank 1
TEST_F(RelationFrequencyTest, RanksBothEndsByTheirFrequency) {
  const auto summary = Rank();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_DOUBLE_EQ(summary->mrr, (4 + 2 / 1.5) / 6);
  EXPECT_DOUBLE_EQ(summary->mean_rank, 7.0 / 6);
  EXPECT_DOUBLE_EQ(summary->hits_at_1, 4.0 / 6);
  EXPECT_DOUBLE_EQ(summary->hits_at_3, 1);
  EXPECT_DOUBLE_EQ(summary->hits_at_10, 1);
}

TEST_F(RelationFrequencyTest, ATrainingLinkOfNoNodeIsNamed) {
  train_.Add(0, 0, 9);
  EXPECT_THAT(Rank().status().message(), HasSubstr("node 9"));
}

}  // namespace
}  // namespace tributary
