// The store, its attempts, and the launchers that meet there, all in one
// process.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"
#include "trainer_client/torch/ddp/node_link.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/ddp/rendezvous_store.h"

namespace tributary {
namespace {

struct Served {
  std::unique_ptr<RendezvousStore> store;
  uint16_t port = 0;
};

Served Serve() {
  const auto socket = ListenOnLoopback(0);
  EXPECT_TRUE(socket.ok()) << socket.status();
  auto store = RendezvousStore::Serve(*socket);
  EXPECT_TRUE(store.ok()) << store.status();
  return {*std::move(store), socket->port};
}

TEST(RendezvousStoreTest, ClientsShareValues) {
  const Served served = Serve();
  const auto client =
      RendezvousStore::Connect("127.0.0.1", served.port, absl::Seconds(20));
  ASSERT_TRUE(client.ok()) << client.status();
  EXPECT_EQ(*(*client)->Get("a"), std::nullopt);
  ASSERT_TRUE(served.store->Set("a", "1").ok());
  EXPECT_EQ(*(*client)->Get("a"), "1");
  EXPECT_EQ(*(*client)->SetIfAbsent("a", "2"), "1");
  EXPECT_EQ(*(*client)->SetIfAbsent("b", "2"), "2");
  EXPECT_EQ(*served.store->Get("b"), "2");
  EXPECT_EQ(*(*client)->Add("n", 2), 2);
  EXPECT_EQ(*served.store->Add("n", 3), 5);
}

RankEnvironment Rank(int rank, int attempt, uint16_t port) {
  RankEnvironment environment;
  environment.rank = rank;
  environment.world = 2;
  environment.master_addr = "127.0.0.1";
  environment.master_port = port;
  environment.attempt = attempt;
  environment.launcher_serves_store = true;
  return environment;
}

// Connects ranks 0 and 1 at the same time.
std::array<absl::Status, 2> Meet(const RankEnvironment& first,
                                 const RankEnvironment& second,
                                 absl::Duration timeout) {
  std::array<absl::Status, 2> met;
  std::thread other(
      [&] { met[1] = ProcessGroup::Connect(second, timeout).status(); });
  met[0] = ProcessGroup::Connect(first, timeout).status();
  other.join();
  return met;
}

TEST(AttemptTest, ARankOfAnOldAttemptCannotJoin) {
  const Served served = Serve();
  ASSERT_TRUE(served.store->Set(kCurrentAttemptKey, "1").ok());
  const auto old =
      ProcessGroup::Connect(Rank(1, 0, served.port), absl::Seconds(20));
  EXPECT_EQ(old.status().code(), absl::StatusCode::kAborted);
  EXPECT_NE(old.status().message().find(
                "rank 1 is of attempt 0, but the job is at attempt 1"),
            std::string::npos)
      << old.status();
}

// Even a rank that does not see the current attempt meets only its own.
TEST(AttemptTest, RanksOfTwoAttemptsDoNotMeet) {
  const Served served = Serve();
  for (const absl::Status& status :
       Meet(Rank(0, 0, served.port), Rank(1, 1, served.port),
            absl::Seconds(2))) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  }
}

class NodeLinkTest : public ::testing::Test {
 protected:
  NodeLinkTest() { EXPECT_TRUE(served_.store->Set(kRunKey, "run-a").ok()); }
  ~NodeLinkTest() override {
    for (auto& link : links_) EXPECT_TRUE(link->Stop(absl::Seconds(60)));
  }

  NodeLink& Start(int node, const std::string& agreement = "same",
                  bool replaceable = false,
                  const std::string& run_id = "run-a") {
    links_.push_back(std::make_unique<NodeLink>(
        NodeLinkOptions{.node = {.nnodes = 2,
                                 .node_rank = node,
                                 .master_addr = "127.0.0.1",
                                 .master_port = served_.port},
                        .run_id = run_id,
                        .agreement = agreement,
                        .interval = absl::Milliseconds(5),
                        .limits = {.alive = absl::Seconds(3)},
                        .replaceable = replaceable}));
    return *links_.back();
  }

  // Waits until the view of `link` is as wanted.
  static bool Sees(const NodeLink& link,
                   const std::function<bool(const NodesView&)>& wanted) {
    const absl::Time deadline = SteadyClock().Now() + absl::Seconds(60);
    while (!wanted(link.view())) {
      if (SteadyClock().Now() >= deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  Served served_ = Serve();
  std::vector<std::unique_ptr<NodeLink>> links_;
};

TEST_F(NodeLinkTest, AnAttemptAndTheNext) {
  NodeLink& first = Start(0);
  NodeLink& second = Start(1);
  first.ReportReady(0);
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.ready == 1; }));
  second.ReportReady(0);
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.ready == 2; }));
  EXPECT_TRUE(Sees(second, [](auto& view) { return view.ready == 2; }));
  EXPECT_FALSE(first.view().end.has_value());

  // The first end is that of all.
  second.ReportEnd({EndKind::kFailed, 137, "rank 1 died"});
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.end.has_value(); }));
  first.ReportEnd({EndKind::kFailed, 1, "rank 0 lost its peer"});
  first.ReportEnded();
  EXPECT_TRUE(Sees(second, [](auto& view) { return view.ended == 1; }));
  second.ReportEnded();
  for (NodeLink* link : {&first, &second}) {
    EXPECT_TRUE(Sees(*link, [](auto& view) { return view.ended == 2; }));
    EXPECT_EQ(link->view().end->exit_code, 137);
    EXPECT_EQ(link->view().end->why, "rank 1 died");
  }

  first.ReportReady(1);
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.ready == 1; }));
  EXPECT_EQ(first.view().ended, 0);
  EXPECT_FALSE(first.view().end.has_value());
}

TEST_F(NodeLinkTest, AnInterruptIsSeenInEveryAttempt) {
  NodeLink& first = Start(0);
  NodeLink& second = Start(1);
  first.ReportReady(0);
  second.ReportReady(1);
  first.ReportEnd({EndKind::kInterrupted, 130, "interrupted"});
  EXPECT_TRUE(Sees(second, [](auto& view) { return view.end.has_value(); }));
  EXPECT_EQ(second.view().end->kind, EndKind::kInterrupted);
}

TEST_F(NodeLinkTest, OtherFlagsAreRefused) {
  NodeLink& first = Start(0, "--nproc 2");
  first.ReportReady(0);
  ASSERT_TRUE(Sees(first, [](auto& view) { return view.ready == 1; }));
  NodeLink& second = Start(1, "--nproc 3");
  EXPECT_TRUE(Sees(second, [](auto& view) { return !view.lost.ok(); }));
  EXPECT_EQ(second.view().lost.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(second.view().lost.message().find("--nproc 2"), std::string::npos);
}

// With the place of one that is there: it does not even notice.
TEST_F(NodeLinkTest, AMachineOfAnotherRunIsRefused) {
  NodeLink& first = Start(0, "same", true);
  NodeLink& second = Start(1, "same", true);
  first.ReportReady(0);
  second.ReportReady(0);
  ASSERT_TRUE(Sees(first, [](auto& view) { return view.ready == 2; }));
  NodeLink& other = Start(1, "same", true, "run-b");
  EXPECT_TRUE(Sees(other, [](auto& view) { return !view.lost.ok(); }));
  EXPECT_EQ(other.view().lost.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(other.view().lost.message().find(
                absl::StrCat("the run at 127.0.0.1:", served_.port,
                             " is run-a, and this one is run-b; allowed: ")),
            std::string::npos)
      << other.view().lost;
  EXPECT_EQ(*served_.store->Add("launch/node/1", 0), 1);
}

// One that comes before node 0 has named the run takes nobody's place.
TEST(RunIdentityTest, AMachineWaitsUntilTheRunHasAName) {
  const Served served = Serve();
  NodeLink link({.node = {.nnodes = 2,
                          .node_rank = 1,
                          .master_addr = "127.0.0.1",
                          .master_port = served.port},
                 .run_id = "run-b",
                 .agreement = "same",
                 .interval = absl::Milliseconds(5)});
  EXPECT_EQ(*served.store->Get("launch/agreement"), std::nullopt);
  ASSERT_TRUE(served.store->Set(kRunKey, "run-a").ok());
  const absl::Time deadline = SteadyClock().Now() + absl::Seconds(60);
  while (link.view().lost.ok() && SteadyClock().Now() < deadline) {
    std::this_thread::yield();
  }
  EXPECT_EQ(link.view().lost.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(*served.store->Get("launch/agreement"), std::nullopt);
  EXPECT_TRUE(link.Stop(absl::Seconds(60)));
}

TEST(AttemptTest, RanksOfTwoRunsDoNotMeet) {
  const Served served = Serve();
  RankEnvironment first = Rank(0, 0, served.port);
  RankEnvironment second = Rank(1, 0, served.port);
  first.run_id = "run-a";
  second.run_id = "run-b";
  const auto met = Meet(first, second, absl::Seconds(5));
  EXPECT_EQ(met[0].code(), absl::StatusCode::kUnavailable) << met[0];
  EXPECT_EQ(met[1].code(), absl::StatusCode::kFailedPrecondition) << met[1];
  // Neither does a rank 0 take the place of another run's.
  first.run_id = "run-b";
  const auto other = ProcessGroup::Connect(first, absl::Seconds(5));
  EXPECT_EQ(other.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(NodeLinkTest, ANodeJoinsOnce) {
  NodeLink& first = Start(0);
  first.ReportReady(0);
  ASSERT_TRUE(Sees(first, [](auto& view) { return view.ready == 1; }));
  NodeLink& again = Start(0);
  EXPECT_TRUE(Sees(again, [](auto& view) { return !view.lost.ok(); }));
  EXPECT_EQ(again.view().lost.code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(NodeLinkTest, ASilentNodeIsLost) {
  NodeLink& first = Start(0);
  NodeLink& second = Start(1);
  first.ReportReady(0);
  second.ReportReady(0);
  ASSERT_TRUE(Sees(first, [](auto& view) { return view.ready == 2; }));
  EXPECT_TRUE(first.view().lost.ok());
  ASSERT_TRUE(second.Stop(absl::Seconds(60)));
  EXPECT_TRUE(Sees(first, [](auto& view) { return !view.lost.ok(); }));
  EXPECT_EQ(first.view().lost.message(),
            "the launcher of node 1 is lost: no heartbeat for 3 s");
}

TEST_F(NodeLinkTest, AReplaceableNodeThatIsSilentEndsOnlyTheAttempt) {
  ASSERT_TRUE(served_.store->Set(FailuresKey(3), "2").ok());
  ASSERT_TRUE(served_.store->Set(kCurrentAttemptKey, "3").ok());
  NodeLink& first = Start(0, "same", true);
  NodeLink& second = Start(1, "same", true);
  first.ReportReady(3);
  second.ReportReady(3);
  ASSERT_TRUE(Sees(first, [](auto& view) { return view.ready == 2; }));
  ASSERT_TRUE(second.Stop(absl::Seconds(60)));
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.ended == 1; }));
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.end.has_value(); }));
  EXPECT_TRUE(first.view().lost.ok()) << first.view().lost;
  EXPECT_EQ(first.view().end->why,
            "the launcher of node 1 is lost: no heartbeat for 3 s");

  NodeLink& again = Start(1, "same", true);
  ASSERT_TRUE(Sees(again, [](auto& view) { return view.joined.has_value(); }));
  const NodeJoin join = *again.view().joined;
  EXPECT_EQ(join.attempt, 3);
  EXPECT_EQ(join.failures, 2);
  EXPECT_TRUE(join.was_ready);
  EXPECT_TRUE(join.had_ended);
  // What it reports again does not count twice.
  again.ReportReady(3);
  again.ReportEnded();
  first.ReportEnded();
  EXPECT_TRUE(Sees(again, [](auto& view) { return view.ended == 2; }));
  EXPECT_EQ(again.view().ready, 2);
  first.ReportReady(4);
  again.ReportReady(4);
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.ready == 2; }));
  EXPECT_FALSE(first.view().end.has_value());
}

TEST_F(NodeLinkTest, TheLaterOfTwoLaunchersHasThePlace) {
  ASSERT_TRUE(served_.store->Set(kCurrentAttemptKey, "0").ok());
  NodeLink& first = Start(1, "same", true);
  first.ReportReady(0);
  ASSERT_TRUE(Sees(first, [](auto& view) { return view.ready == 1; }));
  NodeLink& second = Start(1, "same", true);
  EXPECT_TRUE(Sees(first, [](auto& view) { return !view.lost.ok(); }));
  EXPECT_EQ(first.view().lost.code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(Sees(second, [](auto& view) { return view.joined.has_value(); }));
  EXPECT_TRUE(second.view().lost.ok());
  EXPECT_TRUE(second.view().joined->was_ready);
  EXPECT_FALSE(second.view().joined->had_ended);
}

TEST_F(NodeLinkTest, TheEndOfTheHighestPriorityIsThatOfAll) {
  NodeLink& first = Start(0, "same", true);
  NodeLink& second = Start(1, "same", true);
  first.ReportReady(0);
  second.ReportReady(0);
  const auto sees = [](EndKind kind) {
    return [kind](auto& view) { return view.end && view.end->kind == kind; };
  };
  first.ReportEnd({EndKind::kFailed, 1, "rank 0 lost its peer"});
  EXPECT_TRUE(Sees(second, sees(EndKind::kFailed)));
  second.ReportEnd({EndKind::kLeft, 75, "node 1 leaves"});
  EXPECT_TRUE(Sees(first, sees(EndKind::kLeft)));
  first.ReportEnd({EndKind::kFailed, 1, "rank 0 again"});
  first.ReportEnded();
  second.ReportEnded();
  EXPECT_TRUE(Sees(first, [](auto& view) { return view.ended == 2; }));
  EXPECT_EQ(first.view().end->why, "node 1 leaves");
}

TEST_F(NodeLinkTest, AStoreThatEndsIsNodeZeroLost) {
  NodeLink& second = Start(1);
  second.ReportReady(0);
  ASSERT_TRUE(Sees(second, [](auto& view) { return view.ready == 1; }));
  served_.store.reset();
  EXPECT_TRUE(Sees(second, [](auto& view) { return !view.lost.ok(); }));
  EXPECT_NE(second.view().lost.message().find("the launcher of node 0"),
            std::string::npos);
}

}  // namespace
}  // namespace tributary
