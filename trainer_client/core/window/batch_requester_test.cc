#include "trainer_client/core/window/batch_requester.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trainer_client/core/window/testing/fake_fleet.h"

namespace tributary {
namespace {

using State = PendingBatch::State;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
const absl::Time kNow = absl::UnixEpoch();

class BatchRequesterTest : public testing::Test {
 protected:
  BatchRequesterTest() {
    fleet_.choose = &server_;
    state_.epoch.Begin(state_.epoch.CursorOf(2));
  }
  std::vector<uint64_t> Requested() const {
    std::vector<uint64_t> indices;
    for (const auto& r : server_.requests) indices.push_back(r.key.index);
    return indices;
  }
  State StateOf(uint64_t index) { return state_.window.Find(index)->state(); }

  LoaderState state_ = MakeLoaderState();
  FakeFleet fleet_;
  FakeServer server_{"a"};
  BatchRequester requester_{{.window_size = 3}, &state_, &fleet_};
};

TEST_F(BatchRequesterTest, RequestsTheWindowInOrder) {
  requester_.FillWindow();
  EXPECT_EQ(state_.window.size(), 3);
  requester_.RequestDue(kNow);
  EXPECT_THAT(Requested(), ElementsAre(0, 1, 2));
  const CreditRequest& second = server_.requests[1];
  EXPECT_EQ(second.key, (BatchKey{state_.session.identity, 2, 1}));
  EXPECT_THAT(second.inputs.numbers, ElementsAre(2, 3));
  EXPECT_EQ(second.slot->bytes().size(), 16 << 10);
  EXPECT_FALSE(second.exclusive);
  // Whoever else had it is told to stop.
  EXPECT_THAT(
      fleet_.cancelled,
      ElementsAre(Pair(0, &server_), Pair(1, &server_), Pair(2, &server_)));
  requester_.RequestDue(kNow);
  EXPECT_EQ(server_.requests.size(), 3);  // each once
  state_.window.PopFront();
  requester_.FillWindow();
  EXPECT_NE(state_.window.Find(3), nullptr);
}

// Four credits of 16 KiB fill the ring of 64 KiB.
TEST_F(BatchRequesterTest, AHigherIndexDoesNotTakeTheRoomOfALowerOne) {
  for (uint64_t index : {0, 1, 2}) state_.window.Add(index);
  state_.window.Find(1)->NeedRoom(server_.address(), 60 << 10, 16 << 10,
                                  64 << 10);
  requester_.RequestDue(kNow);
  EXPECT_THAT(Requested(), ElementsAre(0));
  EXPECT_FALSE(requester_.front_lacks_room());
  state_.window.PopFront();  // its slot is still held by its request
  requester_.RequestDue(kNow);
  EXPECT_THAT(Requested(), ElementsAre(0));
  EXPECT_TRUE(requester_.front_lacks_room());
  server_.requests.clear();
  requester_.RequestDue(kNow);
  EXPECT_THAT(Requested(), ElementsAre(1));
  EXPECT_FALSE(requester_.front_lacks_room());
}

TEST_F(BatchRequesterTest, WithoutAServerTheBatchStaysDue) {
  fleet_.choose = nullptr;
  requester_.FillWindow();
  requester_.RequestDue(kNow);
  EXPECT_EQ(StateOf(0), State::kWanted);
  EXPECT_FALSE(requester_.front_lacks_room());
  EXPECT_EQ(fleet_.choices.size(), 3);
}

TEST_F(BatchRequesterTest, PassesOverSilentServers) {
  requester_.FillWindow();
  requester_.RequestDue(kNow);
  BatchRef earlier = state_.epoch.RefOf(2);
  --earlier.generation;
  fleet_.silent = {state_.epoch.RefOf(1), earlier};
  requester_.PassOverSilent();
  EXPECT_EQ(StateOf(1), State::kWanted);
  EXPECT_EQ(StateOf(2), State::kRequested);
  EXPECT_EQ(state_.stats.reassigned, 1);
}

TEST_F(BatchRequesterTest, HedgesOnceAndKeepsTheFirstServer) {
  requester_.FillWindow();
  requester_.RequestDue(kNow);
  fleet_.cancelled.clear();
  fleet_.late = {state_.epoch.RefOf(0)};
  fleet_.up = 1;
  requester_.HedgeLate();
  EXPECT_EQ(StateOf(0), State::kRequested);  // nobody else to ask
  fleet_.up = 2;
  requester_.HedgeLate();
  EXPECT_EQ(StateOf(0), State::kWanted);
  requester_.RequestDue(kNow);
  EXPECT_THAT(Requested(), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(fleet_.cancelled, IsEmpty());
  requester_.HedgeLate();
  EXPECT_EQ(StateOf(0), State::kRequested);
  EXPECT_EQ(state_.stats.hedged, 1);
}

TEST_F(BatchRequesterTest, ABatchThatServersDiedOverIsGivenUp) {
  state_.window.Add(0);
  PendingBatch& batch = state_.window.front();
  const auto lose = [&](const char* host) {
    batch.AddLost({.holder = {{host, 1}, 1},
                   .alone = batch.deaths().is_suspect(),
                   .age = absl::Milliseconds(10)},
                  absl::UnavailableError("reset"));
  };
  for (const char* host : {"a", "b"}) lose(host);
  requester_.RequestDue(kNow);
  EXPECT_TRUE(fleet_.choices.back().exclusive);
  EXPECT_TRUE(server_.requests.back().exclusive);
  for (const char* host : {"c", "d"}) lose(host);
  batch.WantElsewhere({"d", 1});
  requester_.RequestDue(kNow);
  EXPECT_EQ(server_.requests.size(), 1);  // their fate is not known
  fleet_.fate = DeathRecord::Fate::kDead;
  requester_.RequestDue(kNow);
  EXPECT_EQ(StateOf(0), State::kFailed);
  EXPECT_EQ(
      batch.error().message(),
      "batch 0 of epoch 2: 4 servers died making it, the last ones with "
      "nothing beside: a:1, b:1, c:1, d:1; it is given up to spare the others");
}

// A new incarnation is the server's own word: an address that dies again and
// again convicts no batch that another one may still make.
TEST_F(BatchRequesterTest, TheDeathsOfOneAddressAreNotBelievedBesideAnother) {
  FakeServer other("b");
  fleet_.choose_else = &other;
  fleet_.fate = DeathRecord::Fate::kDead;
  state_.window.Add(0);
  PendingBatch& batch = state_.window.front();
  for (uint64_t life = 0; life < 13; ++life) {
    batch.AddLost({.holder = {server_.address(), life},
                   .alone = batch.deaths().is_suspect(),
                   .age = absl::Milliseconds(10)},
                  absl::UnavailableError("reset"));
  }
  requester_.RequestDue(kNow);
  ASSERT_EQ(other.requests.size(), 1);
  EXPECT_TRUE(other.requests[0].exclusive);
  EXPECT_EQ(server_.requests.size(), 0);
  fleet_.listed = 1;  // it has left
  batch.WantElsewhere(other.address());
  requester_.RequestDue(kNow);
  EXPECT_EQ(StateOf(0), State::kFailed);
}

TEST_F(BatchRequesterTest, ANeedThatFindsNoRoomKeepsTheBatchFromNobodyElse) {
  FakeServer other("b");
  fleet_.choose_else = &other;
  const auto held = ReceiveSlot::Allocate(
      std::const_pointer_cast<SlotRing>(state_.rooms.ring().shared_from_this()),
      8 << 10);
  state_.window.Add(0);
  state_.window.front().NeedRoom(server_.address(), 64 << 10, 16 << 10,
                                 64 << 10);
  requester_.RequestDue(kNow);
  EXPECT_THAT(Requested(), IsEmpty());
  ASSERT_EQ(other.requests.size(), 1);
  EXPECT_GE(other.requests[0].slot->bytes().size(), 4096);
}

TEST_F(BatchRequesterTest, LateGrantsGiveTheirRoomBackToTheFront) {
  for (uint64_t index : {0, 1}) state_.window.Add(index);
  auto held = ReceiveSlot::Allocate(
      std::const_pointer_cast<SlotRing>(state_.rooms.ring().shared_from_this()),
      64 << 10);
  for (uint64_t index : {0, 1}) {
    state_.window.Find(index)->MarkRequested();
    EXPECT_TRUE(state_.window.Find(index)->Hedge());
  }
  requester_.RequestDue(kNow);
  EXPECT_TRUE(requester_.front_lacks_room());
  EXPECT_THAT(fleet_.cancelled,
              ElementsAre(Pair(0, nullptr), Pair(1, nullptr)));
}

}  // namespace
}  // namespace tributary
