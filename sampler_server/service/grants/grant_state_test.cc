#include "sampler_server/service/grants/grant_state.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(GrantStateTest, ABatchInFramesIsPendingUntilTheyAreOut) {
  GrantState grant;
  EXPECT_TRUE(grant.pending());
  EXPECT_FALSE(grant.over());
  EXPECT_TRUE(grant.Answer());
  grant.BeginSending();
  EXPECT_TRUE(grant.sending());
  EXPECT_EQ(grant.EndTask(), GrantState::Owed::kNothing);
  EXPECT_TRUE(grant.pending());
  EXPECT_FALSE(grant.over());  // frames are left
  grant.EndSending();
  EXPECT_FALSE(grant.pending());
  EXPECT_TRUE(grant.over());
}

TEST(GrantStateTest, FramesMayBeOutBeforeTheTaskHasEnded) {
  GrantState grant;
  EXPECT_TRUE(grant.Answer());
  grant.BeginSending();
  grant.EndSending();
  EXPECT_FALSE(grant.pending());
  EXPECT_FALSE(grant.over());  // the task still writes to its memory
  EXPECT_EQ(grant.EndTask(), GrantState::Owed::kNothing);
  EXPECT_TRUE(grant.over());
}

TEST(GrantStateTest, AnAnswerWithoutFramesIsNoLongerPending) {
  GrantState grant;
  EXPECT_TRUE(grant.Answer());
  EXPECT_FALSE(grant.pending());
  EXPECT_FALSE(grant.over());
  EXPECT_EQ(grant.EndTask(), GrantState::Owed::kNothing);
  EXPECT_TRUE(grant.over());
}

TEST(GrantStateTest, ACreditTakenBackFromTheQueueIsReturnedAtOnce) {
  GrantState grant;
  EXPECT_TRUE(grant.Cancel(/*withdrawn=*/true));
  EXPECT_TRUE(grant.cancelled());
  EXPECT_FALSE(grant.pending());
  EXPECT_TRUE(grant.over());
}

TEST(GrantStateTest, ARunningTaskIsReturnedWhenItHasEnded) {
  GrantState grant;
  EXPECT_FALSE(grant.Cancel(/*withdrawn=*/false));
  EXPECT_TRUE(grant.cancelled());
  EXPECT_TRUE(grant.pending());  // the room is not the trainer's yet
  EXPECT_FALSE(grant.Answer());  // too late
  EXPECT_TRUE(grant.pending());
  EXPECT_EQ(grant.EndTask(), GrantState::Owed::kReturned);
  EXPECT_FALSE(grant.pending());
  EXPECT_TRUE(grant.over());
}

TEST(GrantStateTest, ACancelAfterTheAnswerIsReturnedAtOnce) {
  GrantState grant;
  EXPECT_TRUE(grant.Answer());
  grant.BeginSending();
  EXPECT_TRUE(grant.Cancel(/*withdrawn=*/false));
  EXPECT_TRUE(grant.cancelled());
  EXPECT_FALSE(grant.pending());  // although frames are left
  EXPECT_EQ(grant.EndTask(), GrantState::Owed::kNothing);
  EXPECT_FALSE(grant.over());
  grant.EndSending();
  EXPECT_TRUE(grant.over());
}

TEST(GrantStateTest, ATaskThatEndsWithoutAnAnswerOwesAnError) {
  GrantState grant;
  EXPECT_EQ(grant.EndTask(), GrantState::Owed::kError);
  EXPECT_FALSE(grant.cancelled());
  EXPECT_FALSE(grant.pending());
  EXPECT_TRUE(grant.over());
}

}  // namespace
}  // namespace tributary
