// What the loader does when servers and networks fail.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "channel/planned_end.h"
#include "trainer_client/core/testing/loader_world.h"

namespace tributary {
namespace {

using Kind = FakeAct::Kind;

std::vector<uint64_t> Range(uint64_t from, uint64_t to) {
  std::vector<uint64_t> v(to - from);
  std::iota(v.begin(), v.end(), from);
  return v;
}

std::vector<uint64_t> Without(uint64_t index, uint64_t to) {
  auto v = Range(0, to);
  v.erase(v.begin() + static_cast<long>(index));
  return v;
}

// Lets the server that is asked for `index` first do `act`.
void OnceFor(LoaderWorld& w, uint64_t index, FakeAct act) {
  auto done = std::make_shared<bool>(false);
  for (size_t i = 0; i < w.num_servers(); ++i) {
    w.server(i).settings().act = [index, act, done](const v1::Credit& credit) {
      if (credit.index() != index || std::exchange(*done, true)) {
        return FakeAct{};
      }
      return act;
    };
  }
}

// Runs an epoch whose batch 2 fails once, at the server that is asked first.
LoaderStats EpochWithOne(FakeAct act) {
  LoaderWorld w({});
  OnceFor(w, 2, act);
  w.Start();
  EXPECT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
  return w.core().stats();
}

TEST(LoaderFaults, ASilentServerIsPassedOver) {
  EXPECT_GE(EpochWithOne({.kind = Kind::kNothing}).reassigned, 1);
}

TEST(LoaderFaults, ABatchThatTakesLongIsAskedForElsewhereToo) {
  EXPECT_EQ(EpochWithOne({.kind = Kind::kSlow}).reassigned, 1);
  EXPECT_EQ(EpochWithOne({.kind = Kind::kHalf}).reassigned, 1);
  EXPECT_EQ(EpochWithOne({.delay = absl::Seconds(6)}).reassigned, 0);
}

TEST(LoaderFaults, ARefusedBatchIsAskedForElsewhere) {
  EXPECT_GE(EpochWithOne({.kind = Kind::kError,
                          .error = absl::ResourceExhaustedError("full"),
                          .retry_after_ms = 300})
                .reassigned,
            1);
}

TEST(LoaderFaults, AReturnedBatchIsAskedForElsewhere) {
  EXPECT_GE(EpochWithOne({.kind = Kind::kReturn}).reassigned, 1);
}

TEST(LoaderFaults, ABatchOfAnotherKeyIsNotBelieved) {
  EXPECT_GE(EpochWithOne({.kind = Kind::kWrongKey}).reassigned, 1);
}

TEST(LoaderFaults, AGapBreaksTheStream) {
  EXPECT_GE(EpochWithOne({.kind = Kind::kGap}).reassigned, 1);
}

TEST(LoaderFaults, NeedsOfLessThanGivenBreaksTheStream) {
  EXPECT_GE(EpochWithOne({.kind = Kind::kNeedsNothing}).reassigned, 1);
}

TEST(LoaderFaults, AForgottenSessionIsOpenedAgain) {
  EXPECT_EQ(EpochWithOne({.kind = Kind::kUnknown}).reassigned, 0);
  LoaderWorld w({});
  w.server(0).settings().knows_sessions = false;
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
}

TEST(LoaderFaults, APermanentErrorComesInItsPlaceWithItsCause) {
  LoaderWorld w({});
  for (size_t i = 0; i < w.num_servers(); ++i) {
    w.server(i).settings().act = [](const v1::Credit& credit) {
      if (credit.index() != 2) return FakeAct{};
      return FakeAct{.kind = Kind::kError,
                     .error = absl::OutOfRangeError("id 99 of 40"),
                     .retryable = false};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Without(2, 10));
  ASSERT_EQ(w.errors.size(), 1);
  EXPECT_EQ(w.errors[0].code(), absl::StatusCode::kOutOfRange);
  const std::string text(w.errors[0].message());
  for (const char* part : {"batch 2 of epoch 0", "server", "id 99 of 40"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(LoaderFaults, ARefusingServerRests) {
  LoaderWorld w({});
  w.server(0).settings().act = [](const v1::Credit&) {
    return FakeAct{.kind = Kind::kError,
                   .error = absl::ResourceExhaustedError("full"),
                   .retry_after_ms = 60'000};
  };
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_LE(w.server(0).num_credits(), 4);  // what it had when it refused
}

TEST(LoaderFaults, ACrashInTheMiddleOfABatch) {
  LoaderWorld w({});
  OnceFor(w, 2, {.kind = Kind::kHalf});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  for (uint64_t i = 0; i < 2; ++i) ASSERT_TRUE(w.Next().ok());
  w.Run(absl::Milliseconds(50));
  const size_t holder = w.server(0).credits().contains(2) ? 0 : 1;
  w.Crash(holder, absl::Seconds(1));
  EXPECT_EQ(w.TakeAll(), Range(2, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}

TEST(LoaderFaults, AFrozenServerIsPassedOverAndItsSlotHeldUntilItsStreamEnds) {
  LoaderWorld w({});
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  ASSERT_TRUE(w.Next().ok());
  w.world().Freeze(w.node(0)->node());
  EXPECT_EQ(w.TakeAll(), Range(1, 10));
  w.world().Thaw(w.node(0)->node());
  w.Run(absl::Seconds(10));
  ASSERT_TRUE(w.core().StartEpoch(1).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}

// Crashes whoever makes batch 4, and counts the crashes.
void PoisonBatch4(LoaderWorld& w, int* killed, absl::Duration makes_in) {
  for (size_t i = 0; i < w.num_servers(); ++i) {
    w.server(i).settings().act = [&w, killed, i,
                                  makes_in](const v1::Credit& credit) {
      if (credit.index() != 4) return FakeAct{.delay = makes_in};
      ++*killed;
      w.world().Schedule(-1, w.world().now(),
                         [&w, i] { w.Crash(i, absl::Milliseconds(300)); });
      return FakeAct{.kind = Kind::kNothing};
    };
  }
}

void ExpectOnlyBatch4IsGivenUp(LoaderWorld& w) {
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Without(4, 10));
  ASSERT_EQ(w.errors.size(), 1);
  EXPECT_EQ(w.errors[0].code(), absl::StatusCode::kAborted);
  EXPECT_NE(w.errors[0].message().find("servers died making it"),
            std::string::npos)
      << w.errors[0];
}

TEST(LoaderFaults, AnIndexThatKillsEveryServerIsGivenUpAndOnlyThatOne) {
  LoaderWorld::Options options;
  options.num_servers = 5;
  options.faults.max_crash_detection = absl::Milliseconds(100);
  LoaderWorld w(options);
  int killed = 0;
  PoisonBatch4(w, &killed, absl::Milliseconds(20));
  ExpectOnlyBatch4IsGivenUp(w);
  EXPECT_LE(killed, 8);
}

// Servers live a second or two in the mean, and a batch takes up to a fifth of
// that: hundreds of batches are in flight at three deaths and more.
void KillAtRandom(LoaderWorld& w, size_t server, absl::Duration mean) {
  const double u = (1.0 + static_cast<double>(w.world().Below(1000))) / 1001.0;
  w.world().Schedule(-1, w.world().now() - std::log(u) * mean,
                     [&w, server, mean] {
                       w.Crash(server, absl::Milliseconds(200));
                       KillAtRandom(w, server, mean);
                     });
}
void KillAllAtRandom(LoaderWorld& w, absl::Duration mean) {
  for (size_t i = 0; i < w.num_servers(); ++i) KillAtRandom(w, i, mean);
}

LoaderWorld::Options DeadlyWorld(uint64_t seed, int num_servers) {
  LoaderWorld::Options options;
  options.seed = seed;
  options.num_servers = num_servers;
  options.order.num_inputs = 1200;
  options.core.rpc_timeout = absl::Minutes(10);
  options.link.credit_timeout = absl::Seconds(30);
  options.link.backoff.max = absl::Seconds(1);
  options.faults.max_crash_detection = absl::Milliseconds(100);
  return options;
}

TEST(LoaderFaults, ServersThatDieAtRandomMakeNoBatchPermanent) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    LoaderWorld w(DeadlyWorld(seed, 1 + static_cast<int>(seed % 3) * 2));
    for (size_t i = 0; i < w.num_servers(); ++i) {
      w.server(i).settings().act = [&w](const v1::Credit&) {
        return FakeAct{.delay = absl::Milliseconds(50 + w.world().Below(350))};
      };
    }
    w.Start();
    KillAllAtRandom(w, absl::Seconds(2));
    ASSERT_TRUE(w.core().StartEpoch(0).ok());
    EXPECT_EQ(w.TakeAll(), Range(0, 300));
    EXPECT_TRUE(w.errors.empty()) << w.errors.size() << ": " << w.errors[0];
  }
}

TEST(LoaderFaults, APoisonousBatchIsFoundThoughServersDieAtRandom) {
  LoaderWorld w(DeadlyWorld(7, 4));
  int killed = 0;
  PoisonBatch4(w, &killed, absl::Milliseconds(100));
  w.Start();
  KillAllAtRandom(w, absl::Seconds(4));
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Without(4, 300));
  EXPECT_EQ(w.errors.size(), 1);
  EXPECT_LE(killed, 20);
}

// As in a rolling restart: each server closes its streams on purpose.
TEST(LoaderFaults, PlannedEndsAreNoDeaths) {
  LoaderWorld::Options options;
  options.num_servers = 5;
  LoaderWorld w(options);
  int ended = 0;
  for (size_t i = 0; i < 5; ++i) {
    w.server(i).settings().act = [&w, &ended, i](const v1::Credit& credit) {
      if (credit.index() != 4 || ended == 5) return FakeAct{};
      ++ended;
      w.world().Schedule(-1, w.world().now() + absl::Milliseconds(4),
                         [&w, i] { w.Crash(i, absl::Milliseconds(300)); });
      return FakeAct{.kind = Kind::kClose,
                     .error = PlannedEnd("this server has drained")};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
  EXPECT_EQ(ended, 5);
}

// ---- one server that is wrong -----------------------------------------------

void Fails(LoaderWorld& w, size_t server, absl::Status error) {
  w.server(server).settings().act = [error](const v1::Credit&) {
    return FakeAct{.kind = Kind::kError, .error = error, .retryable = false};
  };
}

TEST(LoaderFaults, ADamagedReplicaFailsNoBatchThatAnotherCanMake) {
  for (const absl::Status& error :
       {absl::DataLossError("column x: bad checksum"),
        absl::InternalError("a defect"),
        absl::PermissionDeniedError("an old policy"),
        absl::UnauthenticatedError("an old certificate")}) {
    LoaderWorld w({.num_servers = 3});
    Fails(w, 0, error);
    Fails(w, 1, error);
    w.Start();
    ASSERT_TRUE(w.core().StartEpoch(0).ok());
    EXPECT_EQ(w.TakeAll(), Range(0, 10));
    EXPECT_TRUE(w.errors.empty()) << w.errors[0];
  }
}

TEST(LoaderFaults, DamageEverywhereIsPermanentOnceEachServerWasAsked) {
  LoaderWorld w({.num_servers = 3});
  std::map<uint64_t, int> asked;
  for (size_t i = 0; i < 3; ++i) {
    w.server(i).settings().act = [&asked](const v1::Credit& credit) {
      if (credit.index() != 4) return FakeAct{};
      ++asked[credit.index()];
      return FakeAct{.kind = Kind::kError,
                     .error = absl::DataLossError("bad checksum"),
                     .retryable = false};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  const absl::Time before = w.world().now();
  EXPECT_EQ(w.TakeAll(), Without(4, 10));
  EXPECT_LT(w.world().now() - before, absl::Seconds(2));
  ASSERT_EQ(w.errors.size(), 1);
  EXPECT_EQ(w.errors[0].code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(asked[4], 3);
}

// ---- refused for who it is --------------------------------------------------

TEST(LoaderFaults, WhereAllRefuseThisTrainerNextSaysSoAtOnce) {
  LoaderWorld w({.num_servers = 3});
  const auto denied = absl::PermissionDeniedError("job 'a' may not read g");
  for (size_t i = 0; i < 2; ++i) w.server(i).settings().refuse = denied;
  w.network().StopListening(LoaderWorld::AddressOf(2));  // says nothing
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  const absl::Time before = w.world().now();
  const auto next = w.Next();
  EXPECT_LT(w.world().now() - before, absl::Seconds(5));
  EXPECT_EQ(next.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_NE(next.status().message().find("job 'a' may not read g"),
            std::string::npos)
      << next.status();
}

TEST(LoaderFaults, ASessionThatAllServersRefuseFailsAtOnce) {
  for (const int servers : {1, 2}) {
    LoaderWorld w({.num_servers = servers});
    for (size_t i = 0; i < w.num_servers(); ++i) {
      w.server(i).settings().refuse_session =
          absl::InvalidArgumentError("the metapath does not fit the graph");
    }
    w.Start();
    ASSERT_TRUE(w.core().StartEpoch(0).ok());
    const absl::Time before = w.world().now();
    const auto next = w.Next();
    EXPECT_LT(w.world().now() - before, absl::Seconds(5));
    EXPECT_EQ(next.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(next.status().message().find("metapath does not fit"),
              std::string::npos)
        << next.status();
  }
}

TEST(LoaderFaults, ASessionThatOneServerAloneRefusesEndsNothing) {
  LoaderWorld w({.num_servers = 3});
  w.server(1).settings().refuse_session =
      absl::InvalidArgumentError("an option of a later version");
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
  EXPECT_EQ(w.server(1).num_credits(), 0);
}

TEST(LoaderFaults, AServerThatAloneRefusesThisTrainerEndsNothing) {
  LoaderWorld w({.num_servers = 3});
  w.server(1).settings().refuse = absl::UnauthenticatedError("expired");
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
  EXPECT_EQ(w.server(1).num_credits(), 0);
}

TEST(LoaderFaults, WithNobodyAliveNextSaysWhoWasAsked) {
  LoaderWorld::Options options;
  options.core.rpc_timeout = absl::Seconds(5);
  LoaderWorld w(options);
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  ASSERT_TRUE(w.Next().ok());
  w.Crash(0, std::nullopt);
  w.Crash(1, std::nullopt);
  w.Run(absl::Seconds(3));
  absl::Status status;
  absl::Time before;
  do {  // what was ready before the crash
    before = w.world().now();
    status = w.Next().status();
  } while (status.ok());
  EXPECT_GE(w.world().now() - before, absl::Seconds(5));
  EXPECT_LT(w.world().now() - before, absl::Seconds(5.01));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  const std::string text(status.message());
  for (const char* part : {"batch ", " of epoch 0", "server0:1", "server1:1",
                           "partitions 0", "rpc_timeout = 5s"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

TEST(LoaderFaults, AfterATimeoutNextGoesOnWithTheNextBatch) {
  LoaderWorld::Options options;
  options.core.rpc_timeout = absl::Seconds(5);
  LoaderWorld w(options);
  for (size_t i = 0; i < 2; ++i) {
    w.server(i).settings().act = [](const v1::Credit& credit) {
      return FakeAct{.kind = credit.index() == 3 ? Kind::kSlow : Kind::kServe};
    };
  }
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  EXPECT_EQ(w.TakeAll(), Without(3, 10));
  ASSERT_EQ(w.errors.size(), 1);
  EXPECT_EQ(w.errors[0].code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(LoaderFaults, ServersThatComeLateAreUsed) {
  LoaderWorld w({});
  w.network().StopListening(LoaderWorld::AddressOf(0));
  w.network().StopListening(LoaderWorld::AddressOf(1));
  w.Start();
  ASSERT_TRUE(w.core().StartEpoch(0).ok());
  w.world().Schedule(-1, w.world().now() + absl::Seconds(10), [&w] {
    w.network().Listen(w.node(1), LoaderWorld::AddressOf(1), &w.server(1));
  });
  EXPECT_EQ(w.TakeAll(), Range(0, 10));
  EXPECT_TRUE(w.errors.empty()) << w.errors[0];
}

// ---- all at once ------------------------------------------------------------

class LoaderSweep : public ::testing::TestWithParam<int> {};

FakeAct RandomAct(SimScheduler& world) {
  if (world.Chance(0.9)) {
    return {.delay = absl::Microseconds(100 + world.Below(20'000))};
  }
  constexpr Kind kKinds[] = {
      Kind::kNothing, Kind::kError,    Kind::kUnknown, Kind::kGap,
      Kind::kHalf,    Kind::kWrongKey, Kind::kReturn,  Kind::kNeedsNothing};
  return {.kind = kKinds[world.Below(std::size(kKinds))],
          .error = absl::ResourceExhaustedError("full"),
          .retry_after_ms = world.Below(200)};
}

void ScheduleDisaster(LoaderWorld& w) {
  const size_t i = w.world().Below(w.num_servers());
  const int node = w.node(i)->node();
  const absl::Time later =
      w.world().now() + absl::Milliseconds(100 + w.world().Below(4000));
  switch (w.world().Below(3)) {
    case 0:
      return w.Crash(i, absl::Milliseconds(10 + w.world().Below(3000)));
    case 1:
      w.world().Freeze(node);
      w.world().Schedule(-1, later, [&w, node] { w.world().Thaw(node); });
      return;
    default:
      w.network().Partition(w.trainer(), w.node(i));
      w.world().Schedule(-1, later, [&w] { w.network().Heal(); });
  }
}

// Whatever happens, each index comes once, in order and with its own bytes, or
// not at all while the test lasts; the ring is empty at the end.
TEST_P(LoaderSweep, EachIndexOnce) {
  for (uint64_t seed = GetParam() * 50; seed < GetParam() * 50 + 50; ++seed) {
    SCOPED_TRACE(seed);
    LoaderWorld::Options options;
    options.seed = seed;
    options.num_servers = 1 + static_cast<int>(seed % 4);
    options.core.buffer_size = seed % 3 == 0 ? 64 << 10 : 1 << 20;
    options.core.rpc_timeout = absl::Minutes(10);
    options.link.num_streams = 1 + static_cast<int>(seed % 2);
    options.faults.corrupt = 0.0005;
    options.faults.cut = 0.0005;
    options.faults.refuse_connect = 0.1;
    LoaderWorld w(options);
    for (size_t i = 0; i < w.num_servers(); ++i) {
      w.server(i).settings().act = [&w](const v1::Credit&) {
        return RandomAct(w.world());
      };
      w.server(i).settings().filler = [seed](uint64_t index) {
        return (index * 7919 + seed * 31) % 20'000;
      };
    }
    w.Start();
    ASSERT_TRUE(w.core().StartEpoch(seed).ok());
    for (int i = 0; i < 3; ++i) {
      w.world().Schedule(
          -1, w.world().now() + absl::Milliseconds(w.world().Below(300)),
          [&w] { ScheduleDisaster(w); });
    }
    EXPECT_EQ(w.TakeAll(), Range(0, 10));
    EXPECT_TRUE(w.errors.empty()) << w.errors[0];
    w.CloseAndCheckEmpty();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LoaderSweep, ::testing::Range(0, 6));

}  // namespace
}  // namespace tributary
