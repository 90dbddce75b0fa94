#include "common/status/fleet_status.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kGraph[] = "cora@b2c1e0aa90f3";

v1::GraphStatus Owned(std::vector<uint32_t> runs, uint32_t of = 4) {
  v1::GraphStatus graph;
  graph.set_name(kGraph);
  graph.set_layout_digest("layout");
  graph.set_num_partitions(of);
  for (const uint32_t r : runs) graph.add_owned_runs(r);
  return graph;
}

ServerView Server(const std::string& address, std::vector<uint32_t> runs) {
  ServerView view;
  view.address = address;
  view.status.emplace();
  *view.status->add_graphs() = Owned(std::move(runs));
  return view;
}

ServerView Silent(const std::string& address) {
  ServerView view;
  view.address = address;
  view.answer = absl::UnavailableError("connection refused");
  return view;
}

v1::JobStatus Job(const std::string& name, double batches_per_s) {
  v1::JobStatus job;
  job.set_name(name);
  job.set_batches_per_s(batches_per_s);
  job.set_bytes_per_s(1e6 * batches_per_s);
  return job;
}

FleetStatus Make(const std::vector<ServerView>& servers) {
  return MakeFleetStatus(absl::UnixEpoch(), "a:1", servers);
}

std::vector<std::string> Codes(const FleetStatus& fleet) {
  std::vector<std::string> codes;
  for (const auto& trouble : fleet.troubles) codes.push_back(trouble.code);
  return codes;
}

TEST(FleetStatusTest, PartitionsOfTheSameOwnersAreOneRow) {
  const FleetStatus fleet =
      Make({Server("a:1", {0, 2}), Server("b:1", {0, 1, 3, 3})});
  ASSERT_THAT(fleet.partitions, SizeIs(3));
  EXPECT_THAT(fleet.partitions[0].partitions, ElementsAre(0, 1));
  EXPECT_THAT(fleet.partitions[0].owners, ElementsAre("a:1", "b:1"));
  EXPECT_THAT(fleet.partitions[1].partitions, ElementsAre(2));
  EXPECT_THAT(fleet.partitions[1].owners, ElementsAre("a:1"));
  EXPECT_THAT(fleet.partitions[2].partitions, ElementsAre(3));
  EXPECT_THAT(fleet.troubles, IsEmpty());
  EXPECT_EQ(fleet.num_partitions, 4u);
}

TEST(FleetStatusTest, PartitionsWithoutAnOwnerComeFirst) {
  const FleetStatus fleet = Make({Server("a:1", {0, 1, 3, 3}), Silent("b:1")});
  EXPECT_THAT(fleet.partitions[0].partitions, ElementsAre(2));
  EXPECT_THAT(fleet.partitions[0].owners, IsEmpty());
  EXPECT_EQ(fleet.num_unowned, 1u);
  EXPECT_EQ(fleet.num_silent, 1u);
  ASSERT_THAT(Codes(fleet), ElementsAre("no_owner", "server_silent"));
  EXPECT_EQ(fleet.troubles[0].text,
            "1 of 4 partitions of cora@b2c1e0aa90f3 have no owner that "
            "answers: 2");
  EXPECT_EQ(fleet.troubles[1].text, "1 server does not answer: b:1");
  EXPECT_EQ(fleet.servers[0].address, "b:1") << "silent ones come first";
  EXPECT_THAT(fleet.servers[0].problem, HasSubstr("connection refused"));
}

TEST(FleetStatusTest, WhoDrainsOrRetiresAGraphOwnsNothing) {
  ServerView draining = Server("a:1", {0, 3});
  draining.status->set_draining(true);
  EXPECT_EQ(Make({draining}).num_unowned, 4u);
  ServerView retiring = Server("a:1", {0, 3});
  retiring.status->mutable_graphs(0)->set_retiring(true);
  EXPECT_EQ(Make({retiring}).num_unowned, 4u);
}

TEST(FleetStatusTest, AServerWithoutAStatusOwnsWhatIsKnownOfIt) {
  ServerView old;
  old.address = "b:1";
  old.graphs = {Owned({2, 3})};
  const FleetStatus fleet = Make({Server("a:1", {0, 1}), old});
  EXPECT_EQ(fleet.num_unowned, 0u);
  EXPECT_THAT(Codes(fleet), ElementsAre("no_status"));
  EXPECT_FALSE(fleet.servers.back().has_figures);
  old.just_asked = true;
  EXPECT_THAT(Make({Server("a:1", {0, 1}), old}).troubles, IsEmpty());
}

TEST(FleetStatusTest, RunsThatNoServerShouldSendAreCut) {
  ServerView lies = Server("a:1", {2, 0xffffffff, 5, 1, 7});
  EXPECT_EQ(Make({lies}).num_unowned, 2u);
  lies.status->mutable_graphs(0)->set_num_partitions(0xffffffff);
  EXPECT_LE(Make({lies}).num_partitions, size_t{1} << 16);
}

TEST(FleetStatusTest, WhatAServerDoesNotSayMayBeOwnedByIt) {
  ServerView old;
  old.address = "b:1";
  const FleetStatus fleet = Make({Server("a:1", {0, 1}), old});
  EXPECT_EQ(fleet.num_unowned, 0u);
  EXPECT_THAT(Codes(fleet), ElementsAre("no_status"));
  ASSERT_THAT(fleet.partitions, SizeIs(2));
  EXPECT_THAT(fleet.partitions[1].owners, ElementsAre("not known"));
}

TEST(FleetStatusTest, GraphsThatNobodyHasTakeNoMemoryWithoutEnd) {
  ServerView lies = Server("a:1", {0, 3});
  for (int i = 0; i < 10'000; ++i) {
    v1::GraphStatus& graph = *lies.status->add_graphs();
    graph.set_name(std::to_string(i));
    graph.set_num_partitions(65'536);
  }
  EXPECT_LE(Make({lies}).num_partitions, size_t{1} << 18);
}

TEST(FleetStatusTest, JobsAreSummedOverServers) {
  ServerView a = Server("a:1", {0, 3});
  ServerView b = Server("b:1", {0, 3});
  *a.status->add_jobs() = Job("slow", 1);
  v1::JobStatus* const alpha = a.status->add_jobs();
  *alpha = Job("alpha", 2);
  alpha->set_queued(3);
  alpha->set_failed(1);
  alpha->set_wait_known(true);
  alpha->set_wait_permille(200);
  alpha->add_stage_us(10);
  alpha->add_stage_us(5);
  alpha->set_slowest_us(9);
  v1::JobStatus* const again = b.status->add_jobs();
  *again = Job("alpha", 3);
  again->set_queued(4);
  again->set_wait_known(true);
  again->set_wait_permille(100);
  again->add_stage_us(1);
  again->add_stage_us(7);
  again->set_slowest_us(11);
  again->set_slowest_epoch(2);
  again->set_slowest_index(77);
  const FleetStatus fleet = Make({a, b});
  ASSERT_THAT(fleet.jobs, SizeIs(2));
  const FleetStatus::Job& job = fleet.jobs[0];
  EXPECT_EQ(job.name, "alpha") << "the fastest comes first";
  EXPECT_DOUBLE_EQ(job.batches_per_s, 5);
  EXPECT_DOUBLE_EQ(job.bytes_per_s, 5e6);
  EXPECT_EQ(job.queued, 7u);
  EXPECT_EQ(job.failed, 1u);
  EXPECT_EQ(job.wait_permille, 200u);
  EXPECT_EQ(job.stage_us[0], 11u);
  EXPECT_EQ(job.slowest_of_all_stages(), 1u);
  EXPECT_EQ(job.total_us(), 23u);
  EXPECT_EQ(job.slowest_index, 77u);
  EXPECT_EQ(job.slowest_server, "b:1");
  EXPECT_DOUBLE_EQ(
      fleet.servers[0].batches_per_s + fleet.servers[1].batches_per_s, 6);
}

TEST(FleetStatusTest, EqualTroublesBecomeOneAndTheWorstComesFirst) {
  ServerView a = Server("a:1", {0, 3});
  ServerView b = Server("b:1", {0, 3});
  for (ServerView* view : {&a, &b}) {
    v1::Trouble* const closed = view->status->add_troubles();
    closed->set_code("streams_closed");
    closed->set_text("held_up");
    closed->set_count(2);
  }
  v1::Trouble* const disk = b.status->add_troubles();
  disk->set_code("disk_errors");
  disk->set_text("7 pieces");
  const FleetStatus fleet = Make({a, b});
  ASSERT_THAT(Codes(fleet), ElementsAre("disk_errors", "streams_closed"));
  EXPECT_THAT(fleet.troubles[1].servers, ElementsAre("a:1", "b:1"));
  EXPECT_EQ(fleet.troubles[1].count, 4u);
}

TEST(FleetStatusTest, ServersAreOrderedByStateAndThenByHowBusyTheyAre) {
  ServerView idle = Server("a:1", {0, 3});
  ServerView busy = Server("b:1", {0, 3});
  busy.status->set_busy_permille(900);
  ServerView draining = Server("c:1", {0, 3});
  draining.status->set_draining(true);
  const FleetStatus fleet = Make({idle, busy, draining, Silent("d:1")});
  std::vector<std::string> order;
  for (const auto& server : fleet.servers) order.push_back(server.address);
  EXPECT_THAT(order, ElementsAre("d:1", "c:1", "b:1", "a:1"));
}

TEST(FleetStatusTest, ATrainerSeesItsJobAlone) {
  ServerView a = Server("a:1", {0, 1});
  *a.status->add_jobs() = Job("mine", 1);
  *a.status->add_jobs() = Job("theirs", 2);
  v1::Trouble* const refused = a.status->add_troubles();
  refused->set_code("callers_refused");
  refused->set_text("job theirs");
  v1::ServerStatus own;
  v1::Trouble* const waits = own.add_troubles();
  waits->set_code("trainers_wait");
  waits->set_text("mine waits");
  const FleetStatus fleet = OnlyJob(Make({a, Silent("b:1")}), "mine", own);
  ASSERT_THAT(fleet.jobs, SizeIs(1));
  EXPECT_EQ(fleet.jobs[0].name, "mine");
  EXPECT_THAT(Codes(fleet), ElementsAre("trainers_wait"));
  EXPECT_THAT(fleet.servers, IsEmpty());
  EXPECT_THAT(fleet.partitions, IsEmpty());
}

}  // namespace
}  // namespace tributary
