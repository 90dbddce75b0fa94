// What the loader does when nothing breaks: order, room, cursors, ends.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "trainer_client/core/testing/loader_world.h"

namespace tributary {
namespace {

using Kind = FakeAct::Kind;

std::vector<uint64_t> Range(uint64_t from, uint64_t to) {
  std::vector<uint64_t> v(to - from);
  std::iota(v.begin(), v.end(), from);
  return v;
}

TEST(LoaderCore, DeliversAnEpochInOrder) {
  LoaderWorld w({});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(3).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty());
  EXPECT_EQ(w.core().stats().batches, 10);
  EXPECT_EQ(w.core().stats().inputs, 40);
  EXPECT_EQ(w.core().stats().reassigned, 0);
  // Both servers took part, each batch was requested once.
  EXPECT_GT(w.server(0).num_credits(), 0);
  EXPECT_GT(w.server(1).num_credits(), 0);
  EXPECT_EQ(w.server(0).num_credits() + w.server(1).num_credits(), 10);
  // The epoch stays ended; another one starts over.
  EXPECT_FALSE((*w.Next()).has_value());
  ASSERT_TRUE(w.core().StartEpoch(4).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
}

// Batches take 3 s, of which the user takes 1 s for the one before.
TEST(LoaderCore, TellsEachServerOnEachStreamHowMuchItWaits) {
  LoaderWorld w({.core = {.buffer_size = 1 << 20, .prefetch_size = 0},
                 .link = {.num_streams = 2}});
  for (size_t s : {0, 1}) {
    w.server(s).settings().act = [](const v1::Credit&) {
      return FakeAct{.delay = absl::Seconds(3)};
    };
  }
  w.server(1).settings().takes_wait_reports = false;
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(w.Next().ok());
    w.Run(absl::Seconds(1));
  }
  ASSERT_TRUE(w.Next().ok());  // 30 s since the first Next()
  const std::vector<uint32_t> before = w.server(0).wait_reports();
  EXPECT_TRUE(w.server(1).wait_reports().empty());
  ASSERT_GE(before.size(), 2 * 6);
  EXPECT_NEAR(before.back(), 1000 * 21 / 60, 20);  // 3 s and 9 times 2 s
  EXPECT_EQ(before.back(), before[before.size() - 2]);

  // It goes on while the user takes nothing, and ends with the loader.
  w.Run(absl::Seconds(70));
  EXPECT_EQ(w.server(0).wait_reports().size(), before.size() + 2 * 14);
  EXPECT_EQ(w.server(0).wait_reports().back(), 0u);
  w.core().Cancel();
  w.Run(absl::Seconds(30));
  EXPECT_EQ(w.server(0).wait_reports().size(), before.size() + 2 * 14);
}

TEST(LoaderCore, AsksItsOwnServersFirst) {
  LoaderWorld w({.num_servers = 4, .num_clients = 2, .client_rank = 1});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_EQ(w.server(0).num_credits() + w.server(1).num_credits(), 0);
  EXPECT_GT(w.server(2).num_credits(), 0);
  EXPECT_GT(w.server(3).num_credits(), 0);
  w.Crash(2, std::nullopt);
  w.Crash(3, std::nullopt);
  ASSERT_TRUE(w.core().StartEpoch(1).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_EQ(w.server(0).num_credits() + w.server(1).num_credits(), 10);
  EXPECT_TRUE(w.errors.empty());
}

// Servers and streams do not give up meanwhile either.
TEST(LoaderCore, ALeaseHeldForMinutesHoldsUpNothing) {
  LoaderWorld w({.core = {.buffer_size = 64 << 10}});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  auto held = w.Next();
  ASSERT_TRUE(held.ok() && held->has_value());
  for (int minute = 0; minute < 10; ++minute) {
    w.Run(absl::Minutes(1));
    auto next = w.Next();
    ASSERT_TRUE(next.ok()) << next.status();
    if (next->has_value()) continue;
    ASSERT_TRUE(w.core().StartEpoch(0).ok());
  }
  w.Check(**held);
  EXPECT_EQ(w.core().stats().reassigned, 0);
}

TEST(LoaderCore, SortsWhatComesOutOfOrder) {
  LoaderWorld w({.num_servers = 3});
  for (size_t i = 0; i < 3; ++i) {
    w.server(i).settings().act = [](const v1::Credit& credit) {
      return FakeAct{.delay = absl::Milliseconds(50 - 5 * credit.index())};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
}

TEST(LoaderCore, KeepsToItsWindow) {
  LoaderWorld w({.core = {.buffer_size = 1 << 20, .prefetch_size = 2}});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  auto first = w.Next();
  ASSERT_TRUE(first.ok() && first->has_value());
  w.Run(absl::Seconds(5));
  // Delivered: 0. Requested ahead: 1, 2, 3.
  EXPECT_EQ(w.server(0).num_credits() + w.server(1).num_credits(), 4);
}

TEST(LoaderCore, RanksShareAnEpoch) {
  for (uint32_t rank : {0, 1, 2}) {
    LoaderWorld::Options options;
    options.order.rank = rank;
    options.order.world = 3;
    LoaderWorld w(options);
    w.Start();
    ASSERT_TRUE(w.core().StartEpoch(0).ok());
    std::vector<uint64_t> expected;
    for (uint64_t g = rank; g < 10; g += 3) expected.push_back(g);
    EXPECT_EQ(w.TakeAll(), expected);
  }
}

TEST(LoaderCore, GoesOnFromACursor) {
  LoaderWorld w({});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(2).ok());
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(w.Next().ok());
  const Cursor cursor = w.core().CursorAfter(4);
  EXPECT_EQ(cursor.consumed, 16);
  EXPECT_EQ(cursor.next_index, 4);

  LoaderWorld::Options other;
  other.order.batch_size = 5;  // 24 inputs left: 5 5 5 5 4
  LoaderWorld v(other);
  v.Start();
  ASSERT_TRUE(v.core().Resume(cursor).ok());
  EXPECT_EQ(v.TakeAll(), Range(4, 9));

  Cursor wrong = cursor;
  wrong.order.inputs[0] ^= 1;
  EXPECT_EQ(v.core().Resume(wrong).code(),
            absl::StatusCode::kFailedPrecondition);
  wrong = cursor;
  wrong.consumed = 41;
  EXPECT_EQ(v.core().Resume(wrong).code(), absl::StatusCode::kInvalidArgument);
}

// The user learns which servers a Next() waits for, until it is answered.
TEST(LoaderCore, ReportsServersThatDoNotAnswer) {
  std::vector<std::string> notices;
  LoaderWorld::Options options;
  options.core.on_wait = [&](const WaitNotice& notice) {
    notices.push_back(notice.reason);
  };
  LoaderWorld w(options);
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  ASSERT_TRUE(w.Next().ok());
  EXPECT_TRUE(notices.empty());
  w.Crash(0, absl::Seconds(5));
  w.Crash(1, std::nullopt);
  EXPECT_EQ(w.TakeAll(), Range(1, 10));
  ASSERT_GE(notices.size(), 3u);  // after 2 s, each second, and the end
  EXPECT_EQ(notices.back(), "");
  notices.pop_back();
  for (const std::string& notice : notices) {
    EXPECT_EQ(notice.rfind("no server answers: server0:1 (", 0), 0) << notice;
    EXPECT_NE(notice.find(", server1:1 ("), std::string::npos) << notice;
  }
}

TEST(LoaderCore, LimitTakesARangeOfTheEpoch) {
  LoaderWorld w({});
  w.Start();
  EXPECT_FALSE(w.core().Limit(0, 1).ok());  // no epoch yet
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_FALSE(w.core().Limit(10, 20).ok());
  ASSERT_TRUE(w.core().Limit(7, 100).ok());
  EXPECT_EQ(w.TakeAll(), Range(7, 10));
  EXPECT_EQ(w.server(0).num_credits() + w.server(1).num_credits(), 3);
}

TEST(LoaderCore, NextWithoutAnEpochSaysSo) {
  LoaderWorld w({});
  w.Start();
  EXPECT_EQ(w.Next().status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(LoaderCore, AnotherEpochDropsWhatWasPrefetched) {
  LoaderWorld w({});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  ASSERT_TRUE(w.Next().ok());
  ASSERT_TRUE(w.core().StartEpoch(1).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_EQ(w.core().stats().doubles, 0);
}

// ---- room -------------------------------------------------------------------

TEST(LoaderCore, AsksAgainForWhatABatchNeeds) {
  LoaderWorld::Options options;
  options.core.buffer_size = 256 << 10;  // credits of 51 KiB at first
  LoaderWorld w(options);
  for (size_t i = 0; i < 2; ++i) {
    w.server(i).settings().filler = [](uint64_t index) -> uint64_t {
      return index == 4 ? 200 << 10 : 1000;
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_GE(w.core().stats().needs, 1);
}

TEST(LoaderCore, NoFirstCreditIsMoreThanItsServerCanMake) {
  LoaderWorld::Options options;
  options.num_servers = 1;
  options.core.buffer_size = 4 << 20;  // credits of 800 KiB at first
  LoaderWorld w(options);
  w.server(0).settings().budget_bytes = 100 << 10;
  w.server(0).settings().act = [](const v1::Credit& credit) {
    if (credit.max_bytes() <= 50 << 10) return FakeAct{};
    return FakeAct{.kind = FakeAct::Kind::kError,
                   .error = absl::InvalidArgumentError("--memory-budget"),
                   .retryable = false};
  };
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}

// The server reports twice what it has seen so far, the second time all of it:
// growing by a quarter would then exceed its budget.
TEST(LoaderCore, NoRoomAboveWhatABatchNeedsIsMoreThanItsServerCanMake) {
  LoaderWorld::Options options;
  options.num_servers = 1;
  options.core.buffer_size = 256 << 10;  // credits of 51 KiB at first
  LoaderWorld w(options);
  constexpr uint64_t kMost = 100 << 10;
  w.server(0).settings().budget_bytes = 2 * kMost;
  w.server(0).settings().filler = [](uint64_t) { return 96 << 10; };
  w.server(0).settings().act = [](const v1::Credit& credit) {
    if (credit.max_bytes() > kMost) {
      return FakeAct{.kind = FakeAct::Kind::kError,
                     .error = absl::InvalidArgumentError("--memory-budget"),
                     .retryable = false};
    }
    if (credit.max_bytes() >= 97 << 10) return FakeAct{};
    const uint64_t seen = credit.max_bytes() < 80 << 10 ? 85 : 97;
    return FakeAct{.kind = FakeAct::Kind::kNeeds, .needs = seen << 10};
  };
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}

// The user holds one batch all the time, as a prefetching user does. The rest
// of the ring is enough for what a batch needs, but not for a quarter more.
TEST(LoaderCore, TheFirstMakesDoWithWhatItNeeds) {
  LoaderWorld::Options options;
  options.num_servers = 1;
  options.core.buffer_size = 128 << 10;  // 32 units
  options.core.prefetch_size = 1;
  LoaderWorld w(options);
  w.server(0).settings().filler = [](uint64_t index) -> uint64_t {
    return index == 0 ? 28 << 10 : 90 << 10;  // 8 and 23 units
  };
  w.server(0).settings().act = [](const v1::Credit& credit) {
    if (credit.index() == 0 || credit.max_bytes() >= 91 << 10) return FakeAct{};
    const uint64_t seen = credit.max_bytes() < 80 << 10 ? 85 : 91;
    return FakeAct{.kind = FakeAct::Kind::kNeeds, .needs = seen << 10};
  };
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  const auto held = w.Next();
  ASSERT_TRUE(held.ok()) << held.status();
  const auto second = w.Next();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ((*second)->index(), 1);
}

TEST(LoaderCore, ALowerIndexEvictsTheHighestReadyOne) {
  LoaderWorld::Options options;
  options.core.buffer_size = 128 << 10;  // 32 units
  options.core.prefetch_size = 3;
  LoaderWorld w(options);
  for (size_t i = 0; i < 2; ++i) {
    w.server(i).settings().filler = [](uint64_t index) -> uint64_t {
      return index == 0 ? 100 << 10 : 20 << 10;  // 26 and 6 units
    };
    // 1, 2 and 3 are there before 0 says what it needs.
    w.server(i).settings().act = [](const v1::Credit& credit) {
      return FakeAct{.delay = absl::Milliseconds(credit.index() == 0 ? 50 : 1)};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_EQ(w.core().stats().needs, 1);
  // 0 would fit beside 1, but that lies in the middle of the ring.
  EXPECT_EQ(w.core().stats().evicted, 3);
}

TEST(LoaderCore, WhatTheRingCanNeverHoldIsAnErrorInItsPlace) {
  LoaderWorld::Options options;
  options.core.buffer_size = 256 << 10;
  LoaderWorld w(options);
  for (size_t i = 0; i < 2; ++i) {
    w.server(i).settings().filler = [](uint64_t index) -> uint64_t {
      return index == 3 ? 300 << 10 : 1000;
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  auto indices = Range(0, 10);
  indices.erase(indices.begin() + 3);
  EXPECT_EQ(w.TakeAll(), indices);
  ASSERT_EQ(w.errors.size(), 1);
  EXPECT_EQ(w.errors[0].code(), absl::StatusCode::kInvalidArgument);
  const std::string text(w.errors[0].message());
  EXPECT_NE(text.find("buffer_size"), std::string::npos) << text;
  EXPECT_NE(text.find("batch 3 of epoch 0"), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string((300 << 10) + 320)), std::string::npos)
      << text;
}

TEST(LoaderCore, SaysSoWhenTheUsersLeasesFillTheRing) {
  LoaderWorld::Options options;
  options.core.buffer_size = 64 << 10;  // 16 units
  options.core.prefetch_size = 1;
  LoaderWorld w(options);
  for (size_t i = 0; i < 2; ++i) {
    w.server(i).settings().filler = [](uint64_t) { return 31 << 10; };  // 8
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  std::vector<BatchLease> held;
  for (int i = 0; i < 2; ++i) {
    auto next = w.Next();
    ASSERT_TRUE(next.ok()) << next.status();
    held.push_back(**std::move(next));
  }
  const auto full = w.Next();
  EXPECT_EQ(full.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(full.status().message().find("2 batches"), std::string::npos)
      << full.status();
  held.pop_back();  // any of them
  const auto next = w.Next();
  ASSERT_TRUE(next.ok()) << next.status();
  EXPECT_EQ((*next)->index(), 2);
  held.clear();
}

TEST(LoaderCore, ALeaseOutlivesTheLoader) {
  std::optional<BatchLease> lease;
  {
    LoaderWorld w({});
    w.Start();
    ASSERT_TRUE(w.core().StartEpoch(0).ok());
    auto next = w.Next();
    ASSERT_TRUE(next.ok());
    lease.emplace(**std::move(next));
    bool closed = false;
    w.core().Close([&closed] { closed = true; });
    w.world().RunUntil([&] { return closed; }, absl::Seconds(10));
    EXPECT_TRUE(closed);
    EXPECT_EQ(w.core().ring().stats().leased, 1);
    w.MarkClosed();
  }
  EXPECT_EQ(lease->view().Find("x")->data.size(), 1000);
}

// ---- ends -------------------------------------------------------------------

TEST(LoaderCore, CancelEndsAWaitingNextAndAllLaterOnes) {
  LoaderWorld w({});
  for (size_t i = 0; i < 2; ++i) {
    w.server(i).settings().act = [](const v1::Credit&) {
      return FakeAct{.kind = Kind::kSlow};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  w.world().Schedule(w.trainer()->node(), w.world().now() + absl::Seconds(2),
                     [&] { w.core().Cancel(); });
  EXPECT_EQ(w.Next(absl::Seconds(3)).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(w.Next().status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(w.core().StartEpoch(1).code(), absl::StatusCode::kCancelled);
}

TEST(LoaderCore, ATracedBatchTellsItsWayThroughTheFleet) {
  std::vector<BatchTimeline> traced;
  LoaderWorld::Options options;
  options.core.prefetch_size = 1;
  options.core.job = "train";
  options.core.trace_seed = 5;
  options.core.on_traced = [&traced](const BatchTimeline& timeline) {
    traced.push_back(timeline);
  };
  LoaderWorld w(std::move(options));
  std::map<uint64_t, std::string> ids;
  for (size_t s : {0, 1}) {
    w.server(s).settings().act = [&ids, s](const v1::Credit& credit) {
      const auto added = ids.emplace(credit.index(), credit.trace_id());
      EXPECT_EQ(added.first->second, credit.trace_id());
      if (s == 0) {
        return FakeAct{.kind = Kind::kError,
                       .error = absl::UnavailableError("busy")};
      }
      return FakeAct{.delay = absl::Milliseconds(20)};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(3).ok());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(w.Next().ok());
    w.Run(absl::Milliseconds(300));  // the user is busy
  }
  ASSERT_EQ(traced.size(), 4u);
  size_t attempts = 0;
  for (size_t i = 0; i < traced.size(); ++i) {
    const BatchTimeline& batch = traced[i];
    EXPECT_EQ(batch.key.epoch, 3u);
    EXPECT_EQ(batch.key.index, i);
    EXPECT_EQ(batch.job, "train");
    EXPECT_EQ(batch.trace_id, ids[i]);
    EXPECT_EQ(batch.trace_id.size(), 16u);
    EXPECT_GT(batch.bytes, 0u);
    ASSERT_FALSE(batch.attempts.empty());
    attempts += batch.attempts.size();
    for (const BatchAttempt& attempt : batch.attempts) {
      EXPECT_LE(attempt.asked, attempt.ended);
      EXPECT_EQ(attempt.status.ok(), &attempt == &batch.attempts.back());
    }
    EXPECT_EQ(batch.attempts.back().server,
              LoaderWorld::AddressOf(1).ToString());
    EXPECT_EQ(batch.attempts.back().ended, batch.ready);
    const absl::Duration waited = batch.taken - batch.ready;
    EXPECT_GE(batch.behind, absl::ZeroDuration());
    EXPECT_LE(batch.behind, waited);
    EXPECT_GE(waited, absl::ZeroDuration());
    if (i >= 2) {
      EXPECT_GE(waited, absl::Milliseconds(200)) << i;
    }
  }
  EXPECT_GT(attempts, traced.size()) << "some were asked of the busy one";
  EXPECT_NE(ids[0], ids[1]);
  EXPECT_LT(absl::AbsDuration(traced[0].taken - absl::Now()),
            absl::Minutes(10));
}

// The second of two batches that were asked for together comes first; until the
// first one has come the user waits.
TEST(LoaderCore, ABatchThatWaitsForOneBeforeItIsNotHeldUpByTheUser) {
  std::vector<BatchTimeline> traced;
  LoaderWorld::Options options;
  options.core.prefetch_size = 1;
  options.core.on_traced = [&traced](const BatchTimeline& timeline) {
    traced.push_back(timeline);
  };
  LoaderWorld w(std::move(options));
  for (size_t s : {0, 1}) {
    w.server(s).settings().act = [](const v1::Credit& credit) {
      return FakeAct{.delay = credit.index() == 0 ? absl::Seconds(1)
                                                  : absl::Milliseconds(100)};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  ASSERT_TRUE(w.Next().ok());
  w.Run(absl::Seconds(2));
  ASSERT_TRUE(w.Next().ok());
  ASSERT_EQ(traced.size(), 2u);
  EXPECT_LT(traced[0].behind, absl::Milliseconds(1));
  const absl::Duration waited = traced[1].taken - traced[1].ready;
  EXPECT_GT(waited, absl::Seconds(2.5));
  EXPECT_NEAR(absl::ToDoubleSeconds(traced[1].behind), 0.9, 0.05);
}

TEST(LoaderCore, BatchesThatNobodyTracesHaveNoId) {
  LoaderWorld w({});
  for (size_t s : {0, 1}) {
    w.server(s).settings().act = [](const v1::Credit& credit) {
      EXPECT_EQ(credit.trace_id(), "");
      return FakeAct{};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
}

}  // namespace
}  // namespace tributary
