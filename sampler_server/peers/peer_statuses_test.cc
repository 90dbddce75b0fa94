#include "sampler_server/peers/peer_statuses.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

const absl::Time kStart = absl::UnixEpoch() + absl::Hours(1);

std::string Status(const std::string& version) {
  v1::ServerStatus status;
  status.set_version(version);
  return status.SerializeAsString();
}

TEST(PeerStatusesTest, PeersAreAskedWhileSomebodyLooks) {
  PeerStatuses statuses;
  EXPECT_FALSE(statuses.Wanted(kStart));
  statuses.Look(kStart);
  EXPECT_TRUE(statuses.Wanted(kStart));
  EXPECT_TRUE(statuses.Wanted(kStart + absl::Seconds(29)));
  EXPECT_FALSE(statuses.Wanted(kStart + absl::Seconds(30)));
}

TEST(PeerStatusesTest, APeerHasTimeForItsFirstAnswer) {
  PeerStatuses statuses;
  statuses.Look(kStart);
  EXPECT_FALSE(statuses.settled(kStart + absl::Seconds(3)));
  EXPECT_TRUE(statuses.settled(kStart + absl::Seconds(4)));
  statuses.Look(kStart + absl::Seconds(20));
  EXPECT_TRUE(statuses.settled(kStart + absl::Seconds(20)));
  statuses.Look(kStart + absl::Seconds(50));  // nobody looked for 30 s
  EXPECT_FALSE(statuses.settled(kStart + absl::Seconds(51)));
}

TEST(PeerStatusesTest, KeepsTheLatestWhileItIsFresh) {
  PeerStatuses statuses;
  statuses.Look(kStart);
  EXPECT_FALSE(statuses.Get("a:1", kStart).has_value());
  statuses.Set("a:1", Status("1"), kStart);
  statuses.Set("a:1", Status("2"), kStart);
  EXPECT_EQ(statuses.Get("a:1", kStart)->version(), "2");
  EXPECT_FALSE(statuses.Get("b:1", kStart).has_value());
  EXPECT_TRUE(statuses.Get("a:1", kStart + absl::Seconds(10)).has_value());
  EXPECT_FALSE(statuses.Get("a:1", kStart + absl::Seconds(11)).has_value());
}

TEST(PeerStatusesTest, DropsWhatNobodyLooksAt) {
  PeerStatuses statuses;
  statuses.Look(kStart);
  statuses.Set("a:1", Status("1"), kStart);
  (void)statuses.Wanted(kStart + absl::Seconds(59));
  EXPECT_GT(statuses.bytes(), 0u);
  (void)statuses.Wanted(kStart + absl::Seconds(60));
  EXPECT_EQ(statuses.bytes(), 0u);
}

TEST(PeerStatusesTest, WhatIsLargeOrNoStatusIsNotKept) {
  PeerStatuses statuses;
  statuses.Set("a:1", Status("1"), kStart);
  statuses.Set("a:1", Status(std::string(PeerStatuses::kMaxBytes, 'v')),
               kStart);
  EXPECT_FALSE(statuses.Get("a:1", kStart).has_value());
  EXPECT_EQ(statuses.bytes(), 0u);
  statuses.Set("a:1", "\xff\xff\xff", kStart);
  EXPECT_FALSE(statuses.Get("a:1", kStart).has_value());
  statuses.Set("a:1", "", kStart);
  EXPECT_EQ(statuses.bytes(), 0u);
}

TEST(PeerStatusesTest, AllOfThemAreBounded) {
  PeerStatuses statuses;
  const std::string large = Status(std::string(60'000, 'v'));
  for (int i = 0; i < 4096; ++i) {
    statuses.Set(absl::StrCat("p", i), large, kStart);
    ASSERT_LE(statuses.bytes(), PeerStatuses::kMaxTotalBytes);
  }
  EXPECT_GT(statuses.bytes(), PeerStatuses::kMaxTotalBytes - 70'000);
  // Those that tell no more make room.
  const absl::Time later = kStart + absl::Seconds(11);
  statuses.Set("late", large, later);
  EXPECT_TRUE(statuses.Get("late", later).has_value());
}

}  // namespace
}  // namespace tributary
