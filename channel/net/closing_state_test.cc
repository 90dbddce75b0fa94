#include "channel/net/closing_state.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr bool kQueueEmpty = true;

TEST(ClosingStateTest, IsOpenAtFirst) {
  ClosingState state;
  EXPECT_TRUE(state.is_open());
  EXPECT_TRUE(state.receives());
  EXPECT_FALSE(state.holds_rooms());
  EXPECT_TRUE(state.why().ok());
  EXPECT_FALSE(state.ShutDownIfIdle(kQueueEmpty)) << "it is not closing";
}

TEST(ClosingStateTest, ShutsDownOnceWhenTheQueueIsEmpty) {
  ClosingState state;
  EXPECT_TRUE(state.Close(absl::OkStatus()));
  EXPECT_FALSE(state.is_open());
  EXPECT_FALSE(state.ShutDownIfIdle(!kQueueEmpty));
  EXPECT_TRUE(state.ShutDownIfIdle(kQueueEmpty));
  EXPECT_FALSE(state.ShutDownIfIdle(kQueueEmpty)) << "the second time";
  EXPECT_FALSE(state.is_open());
}

TEST(ClosingStateTest, ShutsDownAfterTheLastRoom) {
  ClosingState state;
  EXPECT_TRUE(state.HoldRoom());
  EXPECT_TRUE(state.HoldRoom());
  state.Close(absl::OkStatus());
  state.ReleaseRoom();
  EXPECT_TRUE(state.holds_rooms());
  EXPECT_FALSE(state.ShutDownIfIdle(kQueueEmpty));
  state.ReleaseRoom();
  EXPECT_FALSE(state.holds_rooms());
  EXPECT_TRUE(state.ShutDownIfIdle(kQueueEmpty));
}

TEST(ClosingStateTest, TakesNoRoomOnceItCloses) {
  ClosingState state;
  state.Close(absl::OkStatus());
  EXPECT_FALSE(state.HoldRoom());
  EXPECT_FALSE(state.holds_rooms());
  EXPECT_TRUE(state.ShutDownIfIdle(kQueueEmpty)) << "it was not counted";
  EXPECT_FALSE(state.HoldRoom());
}

TEST(ClosingStateTest, KeepsTheFirstReason) {
  ClosingState state;
  EXPECT_TRUE(state.Close(absl::CancelledError("first")));
  EXPECT_FALSE(state.Close(absl::AbortedError("second")));
  EXPECT_EQ(state.why(), absl::CancelledError("first"));
  state.ShutDownIfIdle(kQueueEmpty);
  EXPECT_FALSE(state.Close(absl::AbortedError("third")));
  EXPECT_EQ(state.why(), absl::CancelledError("first"));
}

TEST(ClosingStateTest, ReceivesUntilItIsToldToStop) {
  ClosingState state;
  state.Close(absl::ResourceExhaustedError("the queue is full"));
  EXPECT_TRUE(state.receives());
  state.StopReceiving();
  EXPECT_FALSE(state.receives());

  ClosingState open;
  open.StopReceiving();
  EXPECT_FALSE(open.receives());
  EXPECT_TRUE(open.is_open());
}

}  // namespace
}  // namespace tributary
