// A server that lies or is broken ends no epoch beside an honest one, and what
// it alone says is delivered as its word.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "trainer_client/core/testing/loader_world.h"

namespace tributary {
namespace {

using Kind = FakeAct::Kind;

std::vector<uint64_t> Range(uint64_t from, uint64_t to) {
  std::vector<uint64_t> v(to - from);
  std::iota(v.begin(), v.end(), from);
  return v;
}

FakeAct Error(absl::StatusCode code, bool retryable = false) {
  return {.kind = Kind::kError,
          .error = absl::Status(code, "so it says"),
          .retryable = retryable};
}

// Answers every credit of server 0 so.
void Lie(LoaderWorld& w, const FakeAct& act) {
  w.server(0).settings().act = [act](const v1::Credit&) { return act; };
}

// Runs an epoch beside that server; all batches must come.
void ExpectWholeEpoch(LoaderWorld& w) {
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}
void ExpectWholeEpochBeside(const FakeAct& act) {
  LoaderWorld w({});
  Lie(w, act);
  ExpectWholeEpoch(w);
}

TEST(LyingServers, NoErrorOfOneServerEndsABatch) {
  for (int code = 1; code <= 16; ++code) {
    SCOPED_TRACE(code);
    ExpectWholeEpochBeside(Error(static_cast<absl::StatusCode>(code)));
    ExpectWholeEpochBeside(
        Error(static_cast<absl::StatusCode>(code), /*retryable=*/true));
  }
}

TEST(LyingServers, NoNeedOfOneServerEndsABatch) {
  for (const uint64_t bytes :
       {uint64_t{1} << 62, (uint64_t{1} << 20) + 1, uint64_t{1} << 20,
        UINT64_MAX, uint64_t{300'000}}) {
    SCOPED_TRACE(bytes);
    ExpectWholeEpochBeside({.kind = Kind::kNeeds, .needs = bytes});
  }
}

// The user holds a batch, so that a need of the whole ring is never met.
TEST(LyingServers, ANeedOfTheWholeRingDoesNotBlameTheUsersLeases) {
  LoaderWorld w({});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  auto held = w.Next();
  ASSERT_TRUE(held.ok());
  w.server(0).settings().act = [](const v1::Credit&) {
    return FakeAct{.kind = Kind::kNeeds, .needs = uint64_t{1} << 20};
  };
  ASSERT_TRUE(w.core().StartEpoch(1).ok());
  for (uint64_t i = 0; i < 10; ++i) {
    const auto next = w.Next();
    ASSERT_TRUE(next.ok()) << next.status();
  }
}

// The honest server needs more than the user's lease leaves; the other one says
// nothing of it.
TEST(LyingServers, ARefusalDoesNotHideThatLeasesFillTheRing) {
  LoaderWorld::Options options;
  options.core.buffer_size = 12 << 10;
  LoaderWorld w(options);
  w.server(1).settings().filler = [](uint64_t) { return 5'000; };
  Lie(w, Error(absl::StatusCode::kUnimplemented));
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  {
    const auto held = w.Next();
    ASSERT_TRUE(held.ok()) << held.status();
    EXPECT_EQ(w.Next().status().code(), absl::StatusCode::kFailedPrecondition);
  }
  EXPECT_TRUE(w.Next().ok());
}

// The honest server is away when the other one lies, and comes back.
TEST(LyingServers, AnErrorOfOneServerWaitsForTheOthersWithinTheDeadline) {
  for (const FakeAct& act :
       {Error(absl::StatusCode::kOutOfRange),
        Error(absl::StatusCode::kDataLoss),
        FakeAct{.kind = Kind::kNeeds, .needs = uint64_t{1} << 62}}) {
    LoaderWorld w({});
    Lie(w, act);
    w.Start();
    w.Crash(1, absl::Seconds(10));
    w.Run(absl::Seconds(2));
    ASSERT_TRUE(w.core().StartEpoch(0).ok());
    EXPECT_EQ(w.TakeAll(), Range(0, 10));
    EXPECT_TRUE(w.errors.empty()) << w.errors[0];
  }
}

TEST(LyingServers, ARefusalOfOneServerWaitsForTheOthersWithinTheDeadline) {
  LoaderWorld w({});
  w.server(0).settings().refuse = absl::PermissionDeniedError("an old policy");
  w.network().StopListening(LoaderWorld::AddressOf(1));
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  w.world().Schedule(-1, w.world().now() + absl::Seconds(10), [&w] {
    w.network().Listen(w.node(1), LoaderWorld::AddressOf(1), &w.server(1));
  });
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}

TEST(LyingServers, TheErrorSaysThatOneServerAloneClaimsIt) {
  LoaderWorld alone({.num_servers = 1});
  Lie(alone, Error(absl::StatusCode::kOutOfRange));
  alone.Start();
  ASSERT_TRUE(alone.core().StartEpoch(0).ok());
  const absl::Time before = alone.world().now();
  EXPECT_EQ(alone.Next().status(),
            absl::OutOfRangeError("batch 0 of epoch 0: server server0:1, which "
                                  "alone says so: so it says"));
  EXPECT_LT(alone.world().now() - before, absl::Seconds(1));

  LoaderWorld::Options options;
  options.core.rpc_timeout = absl::Seconds(5);
  LoaderWorld beside(options);
  Lie(beside, Error(absl::StatusCode::kOutOfRange));
  beside.network().StopListening(LoaderWorld::AddressOf(1));
  beside.Start();
  ASSERT_TRUE(beside.core().StartEpoch(0).ok());
  const absl::Status status = beside.Next().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_NE(status.message().find(
                "server server0:1, which alone says so: so it says; no other "
                "server could be asked within rpc_timeout = 5s"),
            std::string::npos)
      << status;
}

// Promptly, and with the text that they agree on.
TEST(LyingServers, WhatAllServersSayIsDeliveredAtOnce) {
  LoaderWorld w({.num_servers = 3});
  for (size_t i = 0; i < 3; ++i) {
    w.server(i).settings().act = [](const v1::Credit&) {
      return Error(absl::StatusCode::kInvalidArgument);
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  const absl::Time before = w.world().now();
  const absl::Status status = w.Next().status();
  EXPECT_LT(w.world().now() - before, absl::Seconds(1));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find(":1: so it says"), std::string::npos);
  EXPECT_EQ(status.message().find("alone"), std::string::npos) << status;
}

TEST(LyingServers, AServerThatNeverKnowsTheSessionHoldsUpNobody) {
  ExpectWholeEpochBeside({.kind = Kind::kUnknown});
  LoaderWorld w({});
  int turn = 0;
  w.server(0).settings().act = [&turn](const v1::Credit&) {
    return FakeAct{.kind = ++turn % 3 == 0 ? Kind::kReturn : Kind::kUnknown};
  };
  ExpectWholeEpoch(w);
}

// Signs of life for ever, and no answer to a cancel: the slots of all batches
// under way are in its hands.
TEST(LyingServers, AServerThatHoldsAllRoomGivesItBackInTime) {
  LoaderWorld::Options options;
  options.core.buffer_size = 48 << 10;  // three credits of four units
  options.core.prefetch_size = 2;
  LoaderWorld w(options);
  w.server(0).settings().answers_cancels = false;
  Lie(w, {.kind = Kind::kSlow});
  w.network().StopListening(LoaderWorld::AddressOf(1));
  w.Start();
  w.world().Schedule(-1, w.world().now() + absl::Seconds(3), [&w] {
    w.network().Listen(w.node(1), LoaderWorld::AddressOf(1), &w.server(1));
  });
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}

// Each time as another incarnation, and alone with the batch, since the other
// server is busy for seconds at a time.
TEST(LyingServers, AServerThatDiesUnderABatchConvictsNone) {
  LoaderWorld w({});
  w.server(0).settings().act = [&w](const v1::Credit&) {
    ++w.server(0).settings().incarnation;
    return FakeAct{.kind = Kind::kClose,
                   .delay = absl::Microseconds(1),
                   .error = absl::UnavailableError("dead, so it says")};
  };
  w.server(1).settings().act = [](const v1::Credit&) {
    return FakeAct{.delay = absl::Seconds(6)};
  };
  ExpectWholeEpoch(w);
}

}  // namespace
}  // namespace tributary
