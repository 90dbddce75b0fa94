#include "trainer_client/torch/tasks/entity_ranking.h"

#include <algorithm>
#include <map>
#include <utility>

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
class EntityRankingTest : public ::testing::Test {
 protected:
  EntityRankingTest() {
    train_.Add(0, 0, 0);
    train_.Add(0, 0, 1);
    train_.Add(0, 1, 1);
    train_.Add(1, 0, 1);
    test_.Add(0, 2, 1);
    test_.Add(1, 1, 1);
    test_.Add(0, 0, 2);
    auto group = ProcessGroup::Connect({}, absl::Seconds(10));
    EXPECT_TRUE(group.ok()) << group.status();
    group_ = *std::move(group);
  }

  absl::StatusOr<RankSummary> Rank(CandidateScorer& scorer) {
    const KnownAnswers known({&train_, &test_});
    return RankAmongAll(
        {.links = &test_, .known = &known, .relations = relations_}, scorer,
        *group_, [&](uint64_t done, uint64_t total) {
          EXPECT_LE(done, total);
          ++rounds_;
          return absl::OkStatus();
        });
  }

  TypedLinks train_, test_;
  const std::vector<RelationEnds> relations_{{3, 4}, {3, 3}};
  std::unique_ptr<ProcessGroup> group_;
  int rounds_ = 0;
};

// Scores each node by its id and by the given end's parity.
class ByNumber final : public CandidateScorer {
 public:
  absl::Status Score(uint32_t, LinkEnd, absl::Span<const int64_t> given,
                     absl::Span<float> scores) override {
    const size_t nodes = scores.size() / given.size();
    for (size_t i = 0; i < scores.size(); ++i) {
      const auto node = static_cast<float>(i % nodes);
      scores[i] = given[i / nodes] % 2 == 0 ? node : -node;
    }
    return absl::OkStatus();
  }
};

//   (2, 0, ?) = 1: even, 2 and 3 are above: rank 3
//   (?, 0, 1) = 2: odd, descending; 0 and 1 are known: rank 1
//   (1, 1, ?) = 1: odd: 0 is above, rank 2
//   (?, 1, 1) = 1: odd: 0 is known, rank 1
//   (0, 0, ?) = 2: even: 3 is above, rank 2
//   (?, 0, 2) = 0: even: 1 and 2 are above, rank 3
TEST_F(EntityRankingTest, EachRowIsScoredByItsGivenEnd) {
  ByNumber scorer;
  const auto summary = Rank(scorer);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_DOUBLE_EQ(summary->mrr,
                   (1.0 / 3 + 1 + 1.0 / 2 + 1 + 1.0 / 2 + 1.0 / 3) / 6);
  EXPECT_DOUBLE_EQ(summary->hits_at_1, 2.0 / 6);
  EXPECT_DOUBLE_EQ(summary->mean_rank, 2);
  EXPECT_EQ(rounds_, 4);  // two relations, two asked ends
}

// More links of a relation than one block of scores has, between others of
// another relation; the ranks of each are counted one by one.
TEST_F(EntityRankingTest, RanksOfManyBlocksAreThoseOfTheirLinks) {
  const std::vector<RelationEnds> relations{{40, 30}, {30, 40}};
  TypedLinks links;
  for (int64_t i = 0; i < 900; ++i) {
    const uint32_t relation = i % 3 == 0 ? 1 : 0;  // 300 and 600 links
    const RelationEnds& ends = relations[relation];
    links.Add(relation, i * 7 % ends.sources, i * i % ends.destinations);
  }
  const KnownAnswers known({&links});
  double sum = 0, reciprocal = 0;
  for (size_t i = 0; i < links.size(); ++i) {
    for (const LinkEnd asked : {LinkEnd::kDestination, LinkEnd::kSource}) {
      const bool source = asked == LinkEnd::kSource;
      const int64_t given = source ? links.destination[i] : links.source[i];
      const int64_t wanted = source ? links.source[i] : links.destination[i];
      const RelationEnds& ends = relations[links.relation[i]];
      const auto answers = known.Of(links.relation[i], asked, given);
      double rank = 1;  // ByNumber has no ties
      for (int64_t v = 0; v < (source ? ends.sources : ends.destinations);
           ++v) {
        const bool above = given % 2 == 0 ? v > wanted : v < wanted;
        if (above && !std::binary_search(answers.begin(), answers.end(), v)) {
          ++rank;
        }
      }
      sum += rank;
      reciprocal += 1 / rank;
    }
  }
  ByNumber scorer;
  uint64_t rounds = 0;
  const auto summary =
      RankAmongAll({.links = &links, .known = &known, .relations = relations},
                   scorer, *group_, [&](uint64_t, uint64_t total) {
                     rounds = total;
                     return absl::OkStatus();
                   });
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(rounds, 2u * (3 + 2));  // blocks of 256 links
  EXPECT_NEAR(summary->mean_rank, sum / 1800, 1e-9);
  EXPECT_NEAR(summary->mrr, reciprocal / 1800, 1e-12);
}

TEST_F(EntityRankingTest, WrongLinksAreNamed) {
  ByNumber scorer;
  test_.Add(2, 0, 0);
  EXPECT_THAT(Rank(scorer).status().message(), HasSubstr("relation 2"));
  test_ = {};
  EXPECT_EQ(Rank(scorer).status().code(),
            absl::StatusCode::kFailedPrecondition);
  test_.Add(0, 0, 4);
  EXPECT_THAT(Rank(scorer).status().message(), HasSubstr("entity 4"));
}

// Cannot score.
class Failing final : public CandidateScorer {
 public:
  absl::Status Score(uint32_t, LinkEnd, absl::Span<const int64_t>,
                     absl::Span<float>) override {
    return absl::OutOfRangeError("no such node");
  }
};

TEST_F(EntityRankingTest, TheScorersErrorIsReturned) {
  Failing scorer;
  EXPECT_EQ(Rank(scorer).status(), absl::OutOfRangeError("no such node"));
}

}  // namespace
}  // namespace tributary
