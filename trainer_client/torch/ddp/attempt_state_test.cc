#include "trainer_client/torch/ddp/attempt_state.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr EndGraces kGraces{.asked = absl::Seconds(15),
                            .failed = absl::Seconds(10)};
const absl::Time kStart = absl::FromUnixSeconds(1000);

absl::Time At(int seconds) { return kStart + absl::Seconds(seconds); }

AttemptEnd Failed(int code) { return {EndKind::kFailed, code, "rank died"}; }

TEST(AttemptStateTest, RunsUntilSomethingHappens) {
  AttemptState state(kGraces);
  EXPECT_FALSE(state.end().has_value());
  EXPECT_FALSE(state.TakeTerminate());
  EXPECT_FALSE(state.MustKill(absl::FromUnixSeconds(1 << 30)));
}

TEST(AttemptStateTest, TheFirstFailureCounts) {
  AttemptState state(kGraces);
  state.End(Failed(137), At(0));
  state.End(Failed(1), At(5));
  EXPECT_EQ(state.end()->exit_code, 137);
  EXPECT_TRUE(state.TakeTerminate());
  EXPECT_FALSE(state.TakeTerminate());  // only once
  EXPECT_FALSE(state.MustKill(At(9)));
  EXPECT_TRUE(
      state.MustKill(At(10)));  // not 15: the second one changed nothing
}

TEST(AttemptStateTest, AnInterruptReplacesAFailureButNotItsDeadline) {
  AttemptState state(kGraces);
  state.End(Failed(3), At(0));
  state.Interrupt(At(1));
  EXPECT_EQ(state.end()->kind, EndKind::kInterrupted);
  EXPECT_EQ(state.end()->exit_code, 130);
  EXPECT_EQ(state.kill_at(), At(10));
  // Ranks that fail because they are interrupted change nothing.
  state.End(Failed(3), At(2));
  EXPECT_EQ(state.end()->exit_code, 130);
}

TEST(AttemptStateTest, TheSecondInterruptKills) {
  AttemptState state(kGraces);
  state.Interrupt(At(0));
  EXPECT_EQ(state.kill_at(), At(15));
  state.Interrupt(At(4));
  EXPECT_TRUE(state.MustKill(At(4)));
}

TEST(AttemptStateTest, OnlyFailuresAreRestarted) {
  EXPECT_TRUE(StartsAgain(Failed(1), 0, 1));
  EXPECT_FALSE(StartsAgain(Failed(1), 1, 1));
  EXPECT_FALSE(StartsAgain(Failed(1), 0, 0));
  EXPECT_FALSE(StartsAgain({EndKind::kInterrupted, 130, ""}, 0, 5));
  EXPECT_FALSE(StartsAgain({EndKind::kLost, 1, ""}, 0, 5));
}

TEST(AttemptStateTest, DrainedAttemptsAreNoFailures) {
  const AttemptEnd drained = Failed(kDrainedExitCode);
  EXPECT_TRUE(drained.drained());
  EXPECT_TRUE(StartsAgain(drained, 1, 1));
  EXPECT_FALSE(StartsAgain(drained, 0, 0));  // nothing restarts
  EXPECT_FALSE(Failed(1).drained());
  EXPECT_FALSE((AttemptEnd{EndKind::kLost, 75, ""}).drained());
}

TEST(AttemptStateTest, AMachineThatLeavesIsNoFailure) {
  const AttemptEnd left{EndKind::kLeft, kDrainedExitCode, "node 2 leaves"};
  EXPECT_TRUE(StartsAgain(left, 1, 1));
  EXPECT_FALSE(StartsAgain(left, 0, 0));
  AttemptState state(kGraces);
  state.End(Failed(1), At(0));  // its peers' ranks fail first
  state.End(left, At(1));
  EXPECT_EQ(state.end()->kind, EndKind::kLeft);
  EXPECT_EQ(state.kill_at(), At(10));
  state.End(Failed(1), At(2));
  EXPECT_EQ(state.end()->kind, EndKind::kLeft);
}

// Ranks write a checkpoint meanwhile.
TEST(AttemptStateTest, RanksThatAreAskedToEndHaveMoreTime) {
  for (const AttemptEnd& asked :
       {AttemptEnd{EndKind::kLeft, kDrainedExitCode, "node 2 leaves"},
        AttemptEnd{EndKind::kLost, kDrainedExitCode, "node 0 leaves"},
        Failed(kDrainedExitCode)}) {
    AttemptState state(kGraces);
    state.End(asked, At(0));
    EXPECT_EQ(state.kill_at(), At(15)) << asked.ToText();
  }
  AttemptState lost(kGraces);
  lost.End({EndKind::kLost, 1, "node 2 is gone"}, At(0));
  EXPECT_EQ(lost.kill_at(), At(10));
}

TEST(AttemptStateTest, ARankThatLostTheOthersHidesNoCause) {
  for (const AttemptEnd& cause :
       {Failed(1), Failed(137), Failed(kDrainedExitCode),
        Failed(kPermanentExitCode)}) {
    AttemptState state(kGraces);
    state.End(Failed(kPeersLostExitCode), At(0));
    state.End(cause, At(1));
    EXPECT_EQ(state.end()->exit_code, cause.exit_code);
    state.End(Failed(kPeersLostExitCode), At(2));
    EXPECT_EQ(state.end()->exit_code, cause.exit_code);
  }
  EXPECT_TRUE(StartsAgain(Failed(kPeersLostExitCode), 0, 1));
}

TEST(AttemptStateTest, WhatTheSignalsCauseIsNoCause) {
  AttemptState state(kGraces);
  EXPECT_FALSE(state.HasCaused(130, At(0)));
  state.End(Failed(kPeersLostExitCode), At(0));
  EXPECT_FALSE(state.HasCaused(130, At(0)));  // none was sent yet
  EXPECT_TRUE(state.TakeTerminate());
  EXPECT_TRUE(state.HasCaused(130, At(1)));
  EXPECT_FALSE(state.HasCaused(78, At(1)));
  EXPECT_FALSE(state.HasCaused(137, At(9)));
  EXPECT_TRUE(state.HasCaused(137, At(10)));
}

TEST(AttemptStateTest, WhatNeverSucceedsIsNotHiddenByOtherRanks) {
  AttemptState state(kGraces);
  state.End(Failed(1), At(0));
  state.End(Failed(kPermanentExitCode), At(1));
  EXPECT_EQ(state.end()->exit_code, kPermanentExitCode);
  EXPECT_FALSE(StartsAgain(*state.end(), 0, 5));
  state.Interrupt(At(2));
  EXPECT_EQ(state.end()->kind, EndKind::kInterrupted);
}

TEST(AttemptEndTest, TextAndBack) {
  for (const AttemptEnd& end :
       {AttemptEnd{EndKind::kFailed, 137, "rank 1 was ended by signal 9"},
        AttemptEnd{EndKind::kLeft, 75, "node 2 leaves"},
        AttemptEnd{EndKind::kLost, 1, "node 2 is gone"},
        AttemptEnd{EndKind::kInterrupted, 130, ""}}) {
    const auto parsed = ParseAttemptEnd(end.ToText());
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->kind, end.kind);
    EXPECT_EQ(parsed->exit_code, end.exit_code);
    EXPECT_EQ(parsed->why, end.why);
  }
  for (const char* text :
       {"", "failed", "failed 1", "failed x why", "no 1 x"}) {
    EXPECT_EQ(ParseAttemptEnd(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(ExitCodeTest, CodesAndSignals) {
  EXPECT_EQ(ExitCodeOf(3 << 8), 3);
  EXPECT_EQ(ExitCodeOf(9), 137);
}

}  // namespace
}  // namespace tributary
