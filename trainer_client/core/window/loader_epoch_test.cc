#include "trainer_client/core/window/loader_epoch.h"

#include <gtest/gtest.h>

#include "trainer_client/core/window/testing/fake_fleet.h"

namespace tributary {
namespace {

class LoaderEpochTest : public testing::Test {
 protected:
  LoaderSession MakeSession() {
    LoaderSession session = MakeLoaderState().session;
    session.order.rank = 1;
    session.order.world = 2;
    return session;
  }
  const LoaderSession session_ = MakeSession();
  LoaderEpoch epoch_{&session_};
};

// 5 batches; rank 1 of 2 has 1 and 3.
TEST_F(LoaderEpochTest, TakesTheRanksBatchesInOrder) {
  EXPECT_EQ(epoch_.order(), nullptr);
  epoch_.Begin(epoch_.CursorOf(6));
  ASSERT_TRUE(epoch_.HasNext());
  EXPECT_EQ(epoch_.TakeNext(), 1);
  EXPECT_EQ(epoch_.TakeNext(), 3);
  EXPECT_FALSE(epoch_.HasNext());
  EXPECT_EQ(epoch_.KeyOf(3), (BatchKey{session_.identity, 6, 3}));
  epoch_.Begin(epoch_.CursorOf(6));
  EXPECT_EQ(epoch_.TakeNext(), 1);
}

TEST_F(LoaderEpochTest, AnswersOfAnEarlierOneAreNotCurrent) {
  epoch_.Begin(epoch_.CursorOf(6));
  const BatchRef earlier = epoch_.RefOf(1);
  EXPECT_TRUE(epoch_.IsCurrent(earlier));
  epoch_.Begin(epoch_.CursorOf(6));
  EXPECT_FALSE(epoch_.IsCurrent(earlier));
  const BatchRef now = epoch_.RefOf(1);
  epoch_.Abort();
  EXPECT_FALSE(epoch_.IsCurrent(now));
}

TEST_F(LoaderEpochTest, ChecksCursors) {
  Cursor cursor = epoch_.CursorOf(0);
  cursor.consumed = 10;
  EXPECT_TRUE(epoch_.Check(cursor).ok());
  cursor.consumed = 11;
  EXPECT_EQ(epoch_.Check(cursor).code(), absl::StatusCode::kInvalidArgument);
  cursor.consumed = 0;
  cursor.next_index = UINT64_MAX - 10;
  EXPECT_TRUE(epoch_.Check(cursor).ok());
  cursor.next_index = UINT64_MAX - 9;
  EXPECT_EQ(epoch_.Check(cursor).code(), absl::StatusCode::kInvalidArgument);
}

// Each value on which the order depends; the error has the value that the
// cursor was made with.
TEST_F(LoaderEpochTest, RefusesCursorsOfAnotherOrder) {
  struct Change {
    std::string name;
    void (*change)(OrderIdentity&);
  };
  const Change changes[] = {
      {"SHA-256", [](OrderIdentity& order) { order.inputs[0] ^= 1; }},
      {"content", [](OrderIdentity& order) { order.graph[31] ^= 1; }},
      {"random_seed 77", [](OrderIdentity& order) { order.random_seed = 77; }},
      {"shuffle", [](OrderIdentity& order) { order.shuffle ^= true; }},
      {"drop_last", [](OrderIdentity& order) { order.drop_last ^= true; }},
      {"of rank 1 alone, in a world of 2, this loader has of all ranks",
       [](OrderIdentity& order) {
         order.own_rank = 1;
         order.own_world = 2;
       }},
  };
  for (const Change& change : changes) {
    Cursor cursor = epoch_.CursorOf(0);
    EXPECT_TRUE(epoch_.Check(cursor).ok());
    change.change(cursor.order);
    const absl::Status status = epoch_.Check(cursor);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(status.ToString().find(change.name), std::string::npos) << status;
  }
}

// The cursors that an epoch hands out are of the session's own order.
TEST_F(LoaderEpochTest, ItsCursorsCarryTheOrder) {
  LoaderSession session = session_;
  session.graph = Sha256Of("a graph");
  session.order.random_seed = 9;
  session.order.drop_last = true;
  session.order.shuffle = false;
  LoaderEpoch epoch(&session);
  epoch.Begin(epoch.CursorOf(2));
  const OrderIdentity order = epoch.CursorAfter(1).order;
  EXPECT_EQ(order.inputs, session.inputs);
  EXPECT_EQ(order.graph, session.graph);
  EXPECT_EQ(order.random_seed, 9);
  EXPECT_TRUE(order.drop_last);
  EXPECT_FALSE(order.shuffle);
  EXPECT_EQ(epoch_.Check(epoch.CursorAfter(1)).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(LoaderEpochTest, LimitComesBeforeTheStart) {
  using absl::StatusCode;
  EXPECT_EQ(epoch_.Limit(0, 5).code(), StatusCode::kFailedPrecondition);
  epoch_.Begin(epoch_.CursorOf(0));
  EXPECT_EQ(epoch_.Limit(5, 9).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(epoch_.Limit(2, 9).ok());
  EXPECT_EQ(epoch_.TakeNext(), 3);  // 2, 3 and 4 are left; rank 1 has 3
  EXPECT_FALSE(epoch_.HasNext());
  epoch_.MarkStarted();
  EXPECT_EQ(epoch_.Limit(2, 3).code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace tributary
