#include "sampler_server/service/status/server_status.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

JobFigures Figures(const std::string& job, uint64_t batches) {
  JobFigures figures;
  figures.job = job;
  figures.batches = batches;
  figures.bytes = 1000 * batches;
  figures.covered = absl::Seconds(50);
  figures.times[static_cast<size_t>(TimedStage::kSample)] =
      absl::Milliseconds(batches);
  figures.slowest.epoch = 3;
  figures.slowest.index = 44;
  figures.slowest.times[static_cast<size_t>(TimedStage::kGather)] =
      absl::Milliseconds(7);
  figures.slowest.times[static_cast<size_t>(TimedStage::kSend)] =
      absl::Milliseconds(2);
  return figures;
}

JobState Queue(const std::string& job, size_t waiting) {
  JobState state;
  state.name = job;
  state.waiting = waiting;
  return state;
}

std::vector<std::string> Names(const std::vector<v1::JobStatus>& jobs) {
  std::vector<std::string> names;
  for (const v1::JobStatus& job : jobs) names.push_back(job.name());
  return names;
}

TEST(JobStatusTest, JoinsWhatIsKnownOfAJob) {
  StatusInput input;
  input.activity = {Figures("alpha", 100)};
  input.queues = {Queue("alpha", 5)};
  input.waits = {{"alpha", 0.25}};
  const std::vector<v1::JobStatus> jobs = MakeJobStatus(input);
  ASSERT_THAT(jobs, SizeIs(1));
  const v1::JobStatus& job = jobs[0];
  EXPECT_EQ(job.name(), "alpha");
  EXPECT_DOUBLE_EQ(job.batches_per_s(), 2);
  EXPECT_DOUBLE_EQ(job.bytes_per_s(), 2000);
  EXPECT_EQ(job.queued(), 5u);
  EXPECT_TRUE(job.wait_known());
  EXPECT_EQ(job.wait_permille(), 250u);
  EXPECT_THAT(job.stage_us(), ElementsAre(0, 100'000, 0, 0, 0, 0, 0));
  EXPECT_EQ(job.slowest_us(), 9000u);
  EXPECT_EQ(job.slowest_epoch(), 3u);
  EXPECT_EQ(job.slowest_index(), 44u);
  EXPECT_EQ(job.slowest_stage(), 3u);
}

TEST(JobStatusTest, AJobThatOnlyWaitsIsThere) {
  StatusInput input;
  input.queues = {Queue("stuck", 9)};
  input.waits = {{"hungry", 1}};
  EXPECT_THAT(Names(MakeJobStatus(input)), ElementsAre("hungry", "stuck"));
}

TEST(JobStatusTest, NamesThatNobodyListsAreFew) {
  StatusInput input;
  input.weights = JobWeights::Parse("listed=2,*=1").value();
  for (int i = 0; i < 1000; ++i) {
    input.queues.push_back(Queue(absl::StrCat("q", i), 2));
    input.waits[absl::StrCat("w", i)] = 0.5;
  }
  input.queues.push_back(Queue("listed", 7));
  const std::vector<v1::JobStatus> jobs = MakeJobStatus(input);
  ASSERT_THAT(jobs, SizeIs(32 + 2));
  EXPECT_EQ(jobs[0].name(), "(others)");
  EXPECT_EQ(jobs[0].queued(), 2 * (1000u - 32));
  EXPECT_EQ(jobs[0].wait_permille(), 500u);
  EXPECT_EQ(jobs[1].name(), "listed");
}

TEST(JobStatusTest, TheLeastBusyListedJobsAreJoined) {
  StatusInput input;
  std::string weights = "*=1";
  for (int i = 0; i < 200; ++i) {
    absl::StrAppend(&weights, ",j", i, "=1");
    input.activity.push_back(Figures(absl::StrCat("j", i), 50 * (i + 1)));
  }
  input.weights = JobWeights::Parse(weights).value();
  const std::vector<v1::JobStatus> jobs = MakeJobStatus(input);
  ASSERT_THAT(jobs, SizeIs(kMaxStatusJobs));
  double all = 0;
  for (const v1::JobStatus& job : jobs) {
    all += job.batches_per_s();
    EXPECT_NE(job.name(), "j72") << "it is of the slowest 73";
  }
  EXPECT_NEAR(all, 200 * 201 / 2, 1e-6);
}

TEST(ServerStatusTest, TellsOfTheServer) {
  StatusInput input;
  input.uptime = absl::Seconds(77.9);
  input.busy_ratio = 0.8346;
  input.memory_used = 5;
  input.memory_budget = 10;
  input.queued = 3;
  input.active = 4;
  input.graphs = {{"cora@b2", "layout", 8, {0, 1, 2, 5}, {}, false, ""}};
  const v1::ServerStatus status = MakeServerStatus(input);
  EXPECT_NE(status.version(), "");
  EXPECT_EQ(status.uptime_s(), 77u);
  EXPECT_EQ(status.busy_permille(), 835u);
  EXPECT_EQ(status.memory_used_bytes(), 5u);
  EXPECT_EQ(status.memory_budget_bytes(), 10u);
  EXPECT_EQ(status.queued(), 3u);
  EXPECT_EQ(status.active(), 4u);
  ASSERT_EQ(status.graphs_size(), 1);
  EXPECT_THAT(status.graphs(0).owned_runs(), ElementsAre(0, 2, 5, 5));
  EXPECT_EQ(status.graphs(0).num_partitions(), 8u);
}

TEST(ServerStatusTest, ATrainerIsToldOfNoOtherJob) {
  StatusInput input;
  input.memory_used = 5;
  input.queued = 12;
  input.activity = {Figures("mine", 10), Figures("theirs", 10)};
  input.activity[0].failed = input.activity[1].failed = 2;
  input.activity[1].last_error = "secret of theirs";
  input.queues = {Queue("mine", 5), Queue("theirs", 7)};
  input.waits = {{"mine", 0.5}, {"theirs", 0.9}};
  input.recent[kRefusedJob] = 3;
  input.facts.silent_peers = {"10.0.0.9:1"};
  const v1::ServerStatus status = MakeTrainerStatus(input, "mine");
  EXPECT_EQ(status.DebugString().find("theirs"), std::string::npos);
  EXPECT_EQ(status.DebugString().find("10.0.0.9"), std::string::npos);
  ASSERT_EQ(status.jobs_size(), 1);
  EXPECT_EQ(status.jobs(0).queued(), 5u);
  EXPECT_EQ(status.memory_used_bytes(), 0u);
  EXPECT_EQ(status.queued(), 0u);
  ASSERT_EQ(status.troubles_size(), 2);
  EXPECT_EQ(status.troubles(0).code(), "batches_fail");
  EXPECT_EQ(status.troubles(0).count(), 2u);
  EXPECT_EQ(status.troubles(1).code(), "trainers_wait");
  EXPECT_THAT(MakeTrainerStatus(input, "new").jobs(), IsEmpty());
}

}  // namespace
}  // namespace tributary
