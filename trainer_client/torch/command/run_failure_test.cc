#include "trainer_client/torch/command/run_failure.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr RunStage kOpening{};
constexpr RunStage kRows{.rows = true};
constexpr RunStage kTraining{.training = true};

TEST(RunFailureTest, WhatDoesNotFitNeverSucceeds) {
  EXPECT_TRUE(NeverSucceeds(absl::NotFoundError("no such graph"), kOpening));
  EXPECT_TRUE(NeverSucceeds(absl::InvalidArgumentError("shape"), kOpening));
  EXPECT_TRUE(NeverSucceeds(absl::PermissionDeniedError("job"), kOpening));
  EXPECT_TRUE(NeverSucceeds(absl::UnauthenticatedError("CA"), kOpening));
  EXPECT_TRUE(NeverSucceeds(absl::FailedPreconditionError("checkpoint of "
                                                          "another run"),
                            kOpening));
}

TEST(RunFailureTest, ServersAndDisksMayComeBack) {
  for (const RunStage stage : {kOpening, kRows, kTraining}) {
    EXPECT_FALSE(NeverSucceeds(absl::UnavailableError("gone"), stage));
    EXPECT_FALSE(NeverSucceeds(absl::DeadlineExceededError("late"), stage));
    EXPECT_FALSE(NeverSucceeds(absl::InternalError("all-reduce"), stage));
    EXPECT_FALSE(NeverSucceeds(absl::DataLossError("a broken file"), stage));
    EXPECT_FALSE(NeverSucceeds(absl::ResourceExhaustedError("full"), stage));
  }
}

// A server that holds rows may be another process than before, and a graph may
// be let go while it is trained on.
TEST(RunFailureTest, AFleetThatChangesMayBeTriedAgain) {
  EXPECT_FALSE(
      NeverSucceeds(absl::FailedPreconditionError("restarted"), kRows));
  EXPECT_FALSE(NeverSucceeds(absl::NotFoundError("no layout"), kTraining));
  EXPECT_FALSE(NeverSucceeds(absl::InvalidArgumentError("x"), kTraining));
}

TEST(RunFailureTest, ALossThatIsNotFiniteComesAgain) {
  EXPECT_TRUE(
      NeverSucceeds(absl::OutOfRangeError("the loss is nan"), kTraining));
}

TEST(RunFailureTest, Codes) {
  EXPECT_EQ(ExitCodeOfFailure(absl::NotFoundError("g"), {}, kOpening), 78);
  EXPECT_EQ(ExitCodeOfFailure(absl::UnavailableError("s"), {}, kOpening), 1);
  EXPECT_EQ(ExitCodeOfFailure(absl::AbortedError("d"), {.on_request = true},
                              kTraining),
            75);
  EXPECT_EQ(ExitCodeOfFailure(absl::InternalError("all-reduce"),
                              {.lost_peers = true}, kTraining),
            76);
}

TEST(RunFailureTest, TheProcessThatWasAskedToEndSaysSo) {
  const RunStage asked{.training = true, .interrupted = true};
  EXPECT_EQ(ExitCodeOfFailure(absl::AbortedError("stopped"),
                              {.on_request = true}, asked),
            130);
  EXPECT_EQ(ExitCodeOfFailure(absl::InternalError("all-reduce"),
                              {.lost_peers = true}, asked),
            130);
  // Not even then does another start help.
  EXPECT_EQ(ExitCodeOfFailure(absl::OutOfRangeError("nan"), {}, asked), 78);
}

}  // namespace
}  // namespace tributary
