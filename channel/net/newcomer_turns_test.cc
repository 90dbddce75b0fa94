#include "channel/net/newcomer_turns.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr absl::Time kStart = absl::UnixEpoch();

// Returns the connections that may be passed on now.
std::vector<uint64_t> TakeAll(NewcomerTurns& turns, absl::Time now) {
  std::vector<uint64_t> ids;
  while (auto next = turns.Next(now)) ids.push_back(next->id);
  return ids;
}

TEST(NewcomerTurnsTest, HostsTakeTurns) {
  NewcomerTurns turns;
  for (uint64_t id : {1, 2, 3}) turns.Add({id, "a", UniqueFd()});
  turns.Add({4, "b", UniqueFd()});
  turns.Add({5, "c", UniqueFd()});
  turns.Add({6, "c", UniqueFd()});
  EXPECT_EQ(TakeAll(turns, kStart), std::vector<uint64_t>({1, 4, 5, 2, 6, 3}));
  EXPECT_EQ(turns.NextTime(), absl::InfiniteFuture());
}

TEST(NewcomerTurnsTest, WhatHasEndedIsNotPassedOn) {
  NewcomerTurns turns;
  turns.Add({1, "a", UniqueFd()});
  turns.Add({2, "a", UniqueFd()});
  turns.Remove("a", 1);
  turns.Remove("a", 7);
  turns.Remove("b", 2);
  EXPECT_EQ(TakeAll(turns, kStart), std::vector<uint64_t>({2}));
}

TEST(NewcomerTurnsTest, AHostWhoseConnectionWasCutWaits) {
  NewcomerTurns turns;
  turns.Punish("bad", kStart);
  for (uint64_t id : {1, 2}) turns.Add({id, "bad", UniqueFd()});
  EXPECT_EQ(turns.NextTime(), kStart + absl::Milliseconds(100));
  turns.Add({3, "good", UniqueFd()});
  EXPECT_EQ(TakeAll(turns, kStart), std::vector<uint64_t>({3}));
  const absl::Time first = kStart + absl::Milliseconds(100);
  EXPECT_EQ(TakeAll(turns, first - absl::Nanoseconds(1)),
            std::vector<uint64_t>());
  EXPECT_EQ(TakeAll(turns, first), std::vector<uint64_t>({1}));
  EXPECT_EQ(TakeAll(turns, first + absl::Milliseconds(100)),
            std::vector<uint64_t>({2}));
}

TEST(NewcomerTurnsTest, EachFurtherCutDoublesTheWaitUpToASecond) {
  NewcomerTurns turns;
  absl::Time now = kStart;
  for (int ms : {100, 200, 400, 800, 1000, 1000}) {
    turns.Punish("bad", now);
    turns.Add({1, "bad", UniqueFd()});
    EXPECT_EQ(turns.NextTime(), now + absl::Milliseconds(ms));
    now = turns.NextTime();
    EXPECT_EQ(TakeAll(turns, now).size(), 1);
  }
  now += NewcomerTurns::kForgiven;
  for (uint64_t id : {1, 2, 3}) turns.Add({id, "bad", UniqueFd()});
  EXPECT_EQ(TakeAll(turns, now).size(), 3);
}

TEST(NewcomerTurnsTest, WhoHasWaitedTooLongMakesRoom) {
  NewcomerTurns turns;
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const UniqueFd other(ends[1]);
  turns.Add({1, "a", UniqueFd(ends[0]), kStart});
  turns.Add({2, "a", UniqueFd(), kStart + absl::Seconds(5)});
  turns.Add({3, "a", UniqueFd(), kStart + absl::Seconds(6)});
  EXPECT_EQ(TakeAll(turns, kStart + absl::Seconds(11)),
            std::vector<uint64_t>({2, 3}));
  char byte;
  EXPECT_EQ(recv(other.get(), &byte, 1, MSG_DONTWAIT), 0);  // the end
}

TEST(NewcomerTurnsTest, OfManyOffendersTheOldestAreForgotten) {
  NewcomerTurns turns;
  for (size_t i = 0; i <= NewcomerTurns::kMostOffenders; ++i) {
    turns.Punish(absl::StrCat(i), kStart + absl::Microseconds(i));
  }
  turns.Add({1, "0", UniqueFd()});
  turns.Add({2, "1", UniqueFd()});
  EXPECT_EQ(TakeAll(turns, kStart), std::vector<uint64_t>({1}));
}

}  // namespace
}  // namespace tributary
