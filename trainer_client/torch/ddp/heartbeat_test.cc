#include "trainer_client/torch/ddp/heartbeat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"

namespace tributary {
namespace {

// Starts a heartbeat on a copy of the descriptor, as a rank inherits one.
absl::StatusOr<std::unique_ptr<Heartbeat>> StartAt(const HeartbeatBoard& board,
                                                   int local_rank) {
  const int fd = dup(board.fd());
  const std::string text = absl::StrCat(fd);
  auto started =
      Heartbeat::Start(local_rank, [&](const char* name) -> const char* {
        return std::string(name) == kHeartbeatFdVariable ? text.c_str()
                                                         : nullptr;
      });
  if (!started.ok()) close(fd);
  return started;
}

TEST(HeartbeatTest, EachRankHasItsCounters) {
  const auto board = HeartbeatBoard::Create(3);
  ASSERT_TRUE(board.ok()) << board.status();
  {
    const auto rank1 = StartAt(**board, 1);
    ASSERT_TRUE(rank1.ok()) << rank1.status();
    (*rank1)->Progress();
    (*rank1)->Progress();
    const absl::Time deadline = SteadyClock().Now() + absl::Seconds(20);
    while ((*board)->Read()[1].alive < 2 && SteadyClock().Now() < deadline) {
      std::this_thread::yield();
    }
  }
  const std::vector<Beats> beats = (*board)->Read();
  ASSERT_EQ(beats.size(), 3u);
  EXPECT_GE(beats[1].alive, 2u);
  EXPECT_EQ(beats[1].progress, 2u);
  for (int other : {0, 2}) {
    EXPECT_EQ(beats[other].alive, 0u);
    EXPECT_EQ(beats[other].progress, 0u);
  }
}

TEST(HeartbeatTest, RefusesARankWithoutAPlace) {
  const auto board = HeartbeatBoard::Create(1);
  ASSERT_TRUE(board.ok()) << board.status();
  const absl::Status status = StartAt(**board, 1).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("TRIBUTARY_HEARTBEAT_FD"), std::string::npos);
}

TEST(HeartbeatTest, WithoutALauncherNothingBeats) {
  const auto alone =
      Heartbeat::Start(0, [](const char*) -> const char* { return nullptr; });
  ASSERT_TRUE(alone.ok()) << alone.status();
  (*alone)->Progress();
}

}  // namespace
}  // namespace tributary
