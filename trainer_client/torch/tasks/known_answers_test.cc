#include "trainer_client/torch/tasks/known_answers.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(KnownAnswersTest, AnswersOfAllListsByTheGivenEnd) {
  TypedLinks train, test;
  train.Add(1, 4, 7);
  train.Add(1, 4, 2);
  train.Add(0, 4, 9);  // another relation
  train.Add(1, 5, 7);
  test.Add(1, 4, 5);
  test.Add(1, 4, 7);  // also in train
  const KnownAnswers known({&train, &test});
  EXPECT_THAT(known.Of(1, LinkEnd::kDestination, 4), ElementsAre(2, 5, 7));
  EXPECT_THAT(known.Of(1, LinkEnd::kDestination, 5), ElementsAre(7));
  EXPECT_THAT(known.Of(0, LinkEnd::kDestination, 4), ElementsAre(9));
  EXPECT_THAT(known.Of(1, LinkEnd::kSource, 7), ElementsAre(4, 5));
  EXPECT_THAT(known.Of(1, LinkEnd::kSource, 5), ElementsAre(4));
  EXPECT_THAT(known.Of(1, LinkEnd::kSource, 4), IsEmpty());
  EXPECT_THAT(known.Of(2, LinkEnd::kDestination, 4), IsEmpty());
  EXPECT_THAT(KnownAnswers({}).Of(0, LinkEnd::kSource, 0), IsEmpty());
}

}  // namespace
}  // namespace tributary
