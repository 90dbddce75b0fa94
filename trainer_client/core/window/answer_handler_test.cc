#include "trainer_client/core/window/answer_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "channel/planned_end.h"
#include "trainer_client/core/window/testing/fake_fleet.h"

namespace tributary {
namespace {

using Kind = GrantEnd::Kind;
using State = PendingBatch::State;
using testing::ElementsAre;
using testing::Pair;
const absl::Time kNow = absl::UnixEpoch();

// Batch 0 of epoch 2 was requested of server a; two servers are up.
class AnswerHandlerTest : public testing::Test {
 protected:
  AnswerHandlerTest() {
    state_.epoch.Begin(state_.epoch.CursorOf(2));
    state_.window.Add(0);
    batch().MarkRequested();
  }
  PendingBatch& batch() { return state_.window.front(); }
  OpenGrant Grant(uint64_t max_bytes = 8'192) const {
    return OpenGrant(state_.epoch.RefOf(0), max_bytes, false, kNow);
  }
  void Answer(GrantEnd end) {
    handler_.OnGrantEnd(server_, Grant(), std::move(end), kNow);
  }
  GrantEnd Filled(uint64_t index) {
    auto slot = ReceiveSlot::Allocate(ring_, 8'192);
    const uint64_t bytes = WriteBatch(state_.epoch.KeyOf(index), *slot);
    return {.kind = Kind::kFilled, .bytes = bytes, .slot = slot};
  }

  const std::shared_ptr<SlotRing> ring_ = SlotRing::Create(64 << 10);
  LoaderState state_ = MakeLoaderState();
  FakeFleet fleet_;
  FakeServer server_{"a"};
  AnswerHandler handler_{1, &state_, &fleet_};
};

TEST_F(AnswerHandlerTest, TheFirstBatchCounts) {
  Answer(Filled(0));
  EXPECT_EQ(batch().state(), State::kReady);
  EXPECT_THAT(fleet_.cancelled, ElementsAre(Pair(0, nullptr)));
  Answer(Filled(0));
  EXPECT_EQ(state_.stats.doubles, 1);
}

TEST_F(AnswerHandlerTest, ABatchOfAnotherKeyDisconnectsItsServer) {
  Answer(Filled(1));
  EXPECT_EQ(batch().state(), State::kWanted);
  EXPECT_EQ(server_.why,
            absl::DataLossError("asked for batch 0 of epoch 2 it sent batch 1 "
                                "of epoch 2"));
  EXPECT_EQ(state_.stats.reassigned, 1);
  EXPECT_EQ(ring_->stats().used_bytes, 0);
}

TEST_F(AnswerHandlerTest, AnswersToAnEarlierEpochAreDropped) {
  const OpenGrant earlier = Grant();
  state_.epoch.Begin(state_.epoch.CursorOf(2));
  handler_.OnGrantEnd(server_, earlier, Filled(0), kNow);
  EXPECT_EQ(batch().state(), State::kRequested);
  EXPECT_EQ(state_.stats.doubles, 0);
}

TEST_F(AnswerHandlerTest, NeedsOfMoreIsRequestedAgainWithMore) {
  Answer({.kind = Kind::kNeeds, .bytes = 10'001});
  EXPECT_EQ(batch().state(), State::kWanted);
  EXPECT_EQ(batch().LeastRoom(server_.address()), 10'048);
  EXPECT_EQ(state_.stats.needs, 1);
  EXPECT_EQ(state_.stats.reassigned, 0);
  EXPECT_TRUE(server_.why.ok());
}

TEST_F(AnswerHandlerTest, NeedsOfNoMoreThanItHadDisconnects) {
  Answer({.kind = Kind::kNeeds, .bytes = 8'192});
  EXPECT_EQ(batch().state(), State::kWanted);
  EXPECT_EQ(server_.why, absl::InternalError("it needs 8192 bytes and had "
                                             "8192"));
}

TEST_F(AnswerHandlerTest, NeedsOfMoreThanTheRingFailsOnceAllSaySo) {
  FakeServer other("b");
  Answer({.kind = Kind::kNeeds, .bytes = 70'000});
  EXPECT_EQ(batch().state(), State::kWanted);
  batch().MarkRequested();
  handler_.OnGrantEnd(other, Grant(), {.kind = Kind::kNeeds, .bytes = 65'537},
                      kNow);
  EXPECT_EQ(batch().state(), State::kFailed);
  EXPECT_EQ(batch().error(),
            absl::InvalidArgumentError(
                "batch 0 of epoch 2: server b:1: it needs 65537 bytes, "
                "buffer_size is 65536: raise buffer_size to at least 65537; "
                "server a:1: it needs 70000 bytes, buffer_size is 65536: raise "
                "buffer_size to at least 70000"));
}

// Its size is known once it was received: a batch is a function of its key.
TEST_F(AnswerHandlerTest, NeedsOfMoreThanTheBatchHasDisconnects) {
  Answer(Filled(0));
  batch().Evict();
  batch().MarkRequested();
  Answer({.kind = Kind::kNeeds, .bytes = 10'001});
  EXPECT_EQ(batch().state(), State::kWanted);
  EXPECT_EQ(server_.why.code(), absl::StatusCode::kInternal);
}

// With two servers up it is due at once after the first failure, after 10 to 20
// ms after the second, 20 to 40 ms after the third.
TEST_F(AnswerHandlerTest, RetriesAtOnceWhileThereAreOthersThenEverLater) {
  const GrantEnd full{.kind = Kind::kError,
                      .error = absl::ResourceExhaustedError("full"),
                      .retryable = true,
                      .retry_after = absl::Seconds(3)};
  Answer(full);
  EXPECT_TRUE(batch().IsDue(kNow));
  EXPECT_EQ(server_.paused, absl::Seconds(3));
  EXPECT_EQ(batch().error(),
            absl::ResourceExhaustedError("batch 0 of epoch 2: server a:1: "
                                         "full"));
  for (const int ms : {20, 40}) {
    batch().MarkRequested();
    Answer(full);
    EXPECT_FALSE(batch().IsDue(kNow + 0.49 * absl::Milliseconds(ms)));
    EXPECT_TRUE(batch().IsDue(kNow + absl::Milliseconds(ms)));
  }
}

TEST_F(AnswerHandlerTest, APermanentErrorOfTheOnlyServerFails) {
  fleet_.up = fleet_.listed = 1;
  Answer({.kind = Kind::kError, .error = absl::OutOfRangeError("id 99 of 40")});
  EXPECT_EQ(batch().state(), State::kFailed);
  EXPECT_EQ(batch().error(),
            absl::OutOfRangeError("batch 0 of epoch 2: server a:1, which alone "
                                  "says so: id 99 of 40"));
  EXPECT_THAT(fleet_.cancelled, ElementsAre(Pair(0, nullptr)));
}

// A server that is down may come back and make it: until the deadline of the
// call that waits for the batch.
TEST_F(AnswerHandlerTest, APermanentErrorWaitsForAServerThatIsDown) {
  fleet_.up = 1;
  Answer({.kind = Kind::kError, .error = absl::OutOfRangeError("id 99 of 40")});
  EXPECT_EQ(batch().state(), State::kWanted);
  EXPECT_EQ(batch().error().message(),
            "batch 0 of epoch 2: server a:1, which alone says so: id 99 of 40");
}

TEST_F(AnswerHandlerTest, WhileAnotherServerWorksOnlyABatchCounts) {
  fleet_.requested = {0};
  Answer({.kind = Kind::kError, .error = absl::OutOfRangeError("id 99 of 40")});
  EXPECT_EQ(batch().state(), State::kRequested);
  handler_.OnServerDown(server_, {Grant()}, kNow);
  EXPECT_EQ(batch().state(), State::kRequested);
  EXPECT_EQ(batch().deaths().losses().size(), 1);
  EXPECT_EQ(state_.stats.reassigned, 0);
  Answer(Filled(0));
  EXPECT_EQ(batch().state(), State::kReady);
}

TEST_F(AnswerHandlerTest, AnUnknownSessionIsNoFailure) {
  Answer({.kind = Kind::kUnknownSession});
  EXPECT_TRUE(batch().IsDue(kNow));
  EXPECT_EQ(batch().failures(), 0);
  EXPECT_EQ(batch().avoid(), server_.address());
}

TEST_F(AnswerHandlerTest, APlannedEndIsHeldAgainstNoBatch) {
  server_.why = PlannedEnd("this server has drained");
  handler_.OnServerDown(server_, {Grant()}, kNow);
  EXPECT_EQ(batch().state(), State::kWanted);
  EXPECT_TRUE(batch().deaths().losses().empty());
}

TEST_F(AnswerHandlerTest, DamageIsPermanentOnceNoOtherServerIsLeft) {
  Answer({.kind = Kind::kError, .error = absl::DataLossError("bad column")});
  EXPECT_EQ(batch().state(), State::kWanted);
  EXPECT_TRUE(batch().IsDue(kNow));
  EXPECT_THAT(batch().refusals().servers(), ElementsAre(server_.address()));
  FakeServer other("b");
  batch().MarkRequested();
  handler_.OnGrantEnd(
      other, Grant(),
      {.kind = Kind::kError, .error = absl::DataLossError("bad column")}, kNow);
  EXPECT_EQ(batch().state(), State::kFailed);
  EXPECT_EQ(batch().error(),
            absl::DataLossError("batch 0 of epoch 2: server b:1: bad column"));
}

// The second is ready: what its server held is of no interest.
TEST_F(AnswerHandlerTest, WhatALostServerHeldIsDueAgain) {
  Answer(Filled(0));
  for (uint64_t index : {1, 2}) {
    state_.window.Add(index);
    state_.window.Find(index)->MarkRequested();
  }
  std::vector<OpenGrant> lost;
  for (uint64_t index : {0, 1, 2, 3}) {
    lost.emplace_back(state_.epoch.RefOf(index), 8'192, false, kNow);
  }
  handler_.OnServerDown(server_, lost, kNow);
  EXPECT_EQ(batch().state(), State::kReady);
  for (uint64_t index : {1, 2}) {
    EXPECT_EQ(state_.window.Find(index)->state(), State::kWanted);
    EXPECT_EQ(state_.window.Find(index)->avoid(), server_.address());
  }
  EXPECT_EQ(state_.stats.reassigned, 2);
  EXPECT_EQ(state_.window.size(), 3);
}

}  // namespace
}  // namespace tributary
