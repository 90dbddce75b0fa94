// Launches over scripted agents, in virtual time.
#include "cli/launch/launch_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

using RequestKind = AgentRequest::Kind;
using ReportKind = AgentReport::Kind;

constexpr uint32_t kServer = 0, kTrainer = 1;  // ids of the processes

// What the agent of a host does. An ordinary one answers at once, runs what it
// is told to, and ends it when it is asked to.
struct Script {
  bool answers = true;
  std::optional<std::string> closes;  // instead of its hello
  std::string version = AgentVersion();
  std::vector<std::string> problems;
  // Its trainer ends so, this long after its start; -1: it runs on.
  int trainer_status = 0;
  absl::Duration trains = absl::Seconds(60);
  bool ignores_term = false;  // it ends at the end of the grace
};

class SimWorldOfAgents final : public LaunchWorld {
 public:
  SimWorldOfAgents(size_t num_hosts, absl::string_view command, uint64_t seed)
      : scheduler_(seed), scripts(num_hosts), hosts_(num_hosts) {
    LaunchSettings options;
    options.ip_config = "ip.txt";
    options.graph = "g";
    options.insecure = true;
    options.command = ReadTrainerCommand(command).value();
    std::vector<Address> nodes;
    for (size_t i = 0; i < num_hosts; ++i) {
      nodes.push_back({absl::StrCat("h", i), 30050});
    }
    plan_ = PlanLaunch(options, nodes, 4, {}).value();
  }

  // Runs the job to its end; returns how long it took.
  absl::Duration Run(LaunchLimits limits = {}) {
    limits_ = limits;
    job = std::make_unique<LaunchJob>(plan_, "/w", limits, *this);
    const absl::Time start = scheduler_.now();
    job->Begin(start);
    Tick();
    EXPECT_TRUE(
        scheduler_.RunUntil([this] { return job->ended(); }, absl::Hours(1)));
    return scheduler_.now() - start;
  }

  void At(absl::Duration delay, std::function<void()> what) {
    scheduler_.Schedule(-1, scheduler_.now() + delay, std::move(what));
  }
  void Report(size_t host, AgentReport report) {
    if (hosts_[host].open) job->OnReport(host, report, scheduler_.now());
  }
  // The host neither says nor hears anything from now on.
  void Silence(size_t host) { hosts_[host].silent = true; }
  void EndProcess(size_t host, uint32_t id, int wait_status) {
    if (hosts_[host].running.erase(id) == 0) return;
    AgentReport report;
    report.kind = ReportKind::kEnded;
    report.id = id;
    report.wait_status = wait_status;
    Report(host, report);
  }
  absl::Time now() const { return scheduler_.now(); }
  size_t running() const {
    size_t count = 0;
    for (const Host& host : hosts_) count += host.running.size();
    return count;
  }

  // --- LaunchWorld
  void Connect(size_t host) override {
    hosts_[host].open = true;
    most_connecting = std::max(most_connecting, ++connecting_);
    At(absl::Milliseconds(100 + host % 7), [this, host] { Hello(host); });
  }
  void Send(size_t host, const AgentRequest& request) override {
    EXPECT_TRUE(hosts_[host].open);
    if (hosts_[host].silent) return;
    const auto read = ParseAgentRequest(ToLine(request));
    ASSERT_TRUE(read.ok()) << read.status();
    At(absl::Milliseconds(1), [this, host, read] { Do(host, *read); });
  }
  void Disconnect(size_t host) override {
    if (!hosts_[host].asked) --connecting_;
    hosts_[host].asked = true;
    hosts_[host].open = false;
    hosts_[host].running.clear();
  }
  void AskOwners() override {
    ++asked_owners;
    At(absl::Milliseconds(5), [this] {
      job->OnOwners(
          asked_owners < owners_after ? "partition 3 has no owner" : "",
          scheduler_.now());
    });
  }
  void Show(size_t host, const AgentProcess& process, bool,
            absl::string_view text) override {
    shown.push_back(absl::StrCat(host, " ", process.name, ": ", text));
  }
  void Tell(absl::string_view text) override { told.emplace_back(text); }

 private:
  struct Host {
    bool open = false, asked = false, silent = false;
    std::set<uint32_t> running;
  };

  void Tick() {
    if (job->ended()) return;
    job->OnTime(scheduler_.now());
    for (size_t i = 0; i < hosts_.size(); ++i) {
      if (hosts_[i].asked && !hosts_[i].silent) Report(i, AgentReport());
    }
    At(absl::Milliseconds(500), [this] { Tick(); });
  }

  void Hello(size_t host) {
    const Script& script = scripts[host];
    if (!script.answers || !hosts_[host].open) return;
    if (script.closes.has_value()) {
      return job->OnClosed(host, *script.closes, scheduler_.now());
    }
    AgentReport report;
    report.kind = ReportKind::kHello;
    report.version = script.version;
    Report(host, report);
  }

  void Do(size_t host, const AgentRequest& request) {
    if (!hosts_[host].open || hosts_[host].silent) return;
    const Script& script = scripts[host];
    AgentReport report;
    switch (request.kind) {
      case RequestKind::kBeat:
        return;
      case RequestKind::kPreflight:
        --connecting_;
        hosts_[host].asked = true;
        report.kind = ReportKind::kReady;
        report.problems = script.problems;
        return Report(host, report);
      case RequestKind::kStart:
        hosts_[host].running.insert(request.id);
        if (request.id == kTrainer && script.trainer_status >= 0) {
          At(script.trains, [this, host] {
            EndProcess(host, kTrainer, scripts[host].trainer_status);
          });
        }
        return;
      case RequestKind::kEnd:
        return End(host, request);
    }
  }

  void End(size_t host, const AgentRequest& request) {
    const absl::Duration takes =
        scripts[host].ignores_term ? request.grace : absl::Milliseconds(20);
    At(takes, [this, host, stage = request.stage] {
      EndProcess(host, kTrainer, 15);
      if (stage > 0) return;
      ended_with_trainers += running_trainers() > 0;
      EndProcess(host, kServer, 0);
      if (hosts_[host].open) job->OnClosed(host, "ended", scheduler_.now());
    });
  }
  size_t running_trainers() const {
    size_t count = 0;
    for (const Host& host : hosts_) count += host.running.count(kTrainer);
    return count;
  }

  SimScheduler scheduler_;
  LaunchPlan plan_;
  LaunchLimits limits_;

 public:
  std::vector<Script> scripts;
  std::unique_ptr<LaunchJob> job;
  int most_connecting = 0, asked_owners = 0, owners_after = 1;
  int ended_with_trainers = 0;  // servers that were ended before trainers
  std::vector<std::string> shown, told;

 private:
  std::vector<Host> hosts_;
  int connecting_ = 0;
};

TEST(LaunchJobTest, TrainersStartOnceEachPartitionHasAnOwner) {
  SimWorldOfAgents world(4, "train", 1);
  world.owners_after = 4;
  const absl::Duration took = world.Run();
  EXPECT_EQ(world.job->result().exit_code, 0) << world.job->result().what;
  EXPECT_EQ(world.asked_owners, 4);
  EXPECT_GT(took, absl::Seconds(63));
  EXPECT_LT(took, absl::Seconds(66));
  EXPECT_EQ(world.running(), 0);
  EXPECT_THAT(world.told,
              ElementsAre(HasSubstr("4 hosts are ready"),
                          HasSubstr("each partition has an owner")));
}

TEST(LaunchJobTest, AThousandHostsAreConnectedToAFewAtATime) {
  SimWorldOfAgents world(1000, "train", 2);
  LaunchLimits limits;
  limits.jobs = 16;
  const absl::Duration took = world.Run(limits);
  EXPECT_EQ(world.job->result().exit_code, 0) << world.job->result().what;
  EXPECT_EQ(world.most_connecting, 16);
  // 1000 / 16 rounds of a tenth of a second, and a minute of training.
  EXPECT_LT(took, absl::Seconds(75));
}

TEST(LaunchJobTest, EachHostWithAProblemIsNamedBeforeAnythingStarts) {
  SimWorldOfAgents world(1000, "train", 3);
  world.scripts[7].answers = false;
  world.scripts[70].closes = "ssh ended with exit code 255: wrong key";
  world.scripts[500].version = "9.9.9";
  world.scripts[998].problems = {"there is no folder /w", "no memory"};
  LaunchLimits limits;
  const absl::Duration took = world.Run(limits);
  const LaunchResult& result = world.job->result();
  EXPECT_EQ(result.exit_code, kExitPreflight);
  EXPECT_THAT(result.what, HasSubstr("4 of 1000 hosts"));
  ASSERT_THAT(result.details, SizeIs(5));
  std::set<std::string> details(result.details.begin(), result.details.end());
  EXPECT_THAT(details, ElementsAre(StartsWith("h500: has tributary 9.9.9"),
                                   HasSubstr("h70: ssh ended with exit code"),
                                   HasSubstr("h7: does not answer within 20s"),
                                   HasSubstr("h998: no memory"),
                                   HasSubstr("h998: there is no folder")));
  EXPECT_EQ(world.running(), 0);
  EXPECT_THAT(world.told, IsEmpty());
  EXPECT_LT(took, absl::Seconds(30));
}

TEST(LaunchJobTest, TheFirstFailureDecides) {
  SimWorldOfAgents world(4, "train", 4);
  world.scripts[2].trainer_status = 3 << 8;
  world.scripts[2].trains = absl::Seconds(5);
  for (const size_t other : {0, 1, 3}) {
    world.scripts[other].trainer_status = 76 << 8;
    world.scripts[other].trains = absl::Seconds(5.1);
  }
  world.At(absl::Seconds(4), [&] {
    for (int i = 0; i < 7; ++i) {
      AgentReport line;
      line.kind = ReportKind::kLine;
      line.id = kTrainer;
      line.text = absl::StrCat("line ", i, "\x1b");
      world.Report(2, line);
    }
  });
  const absl::Duration took = world.Run();
  const LaunchResult& result = world.job->result();
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.what,
            "h2: trainer 2 ended with exit code 3\ncommand: train");
  EXPECT_THAT(result.details,
              ElementsAre("line 2\\x1b", "line 3\\x1b", "line 4\\x1b",
                          "line 5\\x1b", "line 6\\x1b"));
  EXPECT_THAT(world.shown, SizeIs(7));
  EXPECT_LT(took, absl::Seconds(7));
  EXPECT_EQ(world.running(), 0);
  EXPECT_EQ(world.ended_with_trainers, 0);
}

TEST(LaunchJobTest, ASignalDuringTheEndChangesNothing) {
  SimWorldOfAgents world(2, "train", 13);
  world.scripts[0].ignores_term = true;
  world.scripts[1].trainer_status = 3 << 8;
  world.scripts[1].trains = absl::Seconds(5);
  world.At(absl::Seconds(9),
           [&] { world.job->OnSignal(SIGTERM, world.now()); });
  EXPECT_GT(world.Run(), absl::Seconds(14));
  EXPECT_EQ(world.job->result().exit_code, 3);
}

TEST(LaunchJobTest, ASignalOfATrainerIsItsExitCode) {
  SimWorldOfAgents world(2, "train", 5);
  world.scripts[1].trainer_status = SIGSEGV;
  world.Run();
  EXPECT_EQ(world.job->result().exit_code, 128 + SIGSEGV);
}

TEST(LaunchJobTest, AServerThatEndsIsAFailure) {
  SimWorldOfAgents world(2, "train", 6);
  world.At(absl::Seconds(10), [&] { world.EndProcess(1, kServer, 9); });
  const absl::Duration took = world.Run();
  EXPECT_EQ(world.job->result().exit_code, kExitServers);
  EXPECT_THAT(world.job->result().what,
              HasSubstr("h1: server 1 was ended by signal 9 (SIGKILL)\n"
                        "command: tributary serve --graph g --partitions 1%2"));
  EXPECT_LT(took, absl::Seconds(12));
}

TEST(LaunchJobTest, ASilentHostIsLost) {
  SimWorldOfAgents world(3, "train", 7);
  world.At(absl::Seconds(10), [&] { world.Silence(1); });
  const absl::Duration took = world.Run();
  EXPECT_EQ(world.job->result().exit_code, kExitHostLost);
  EXPECT_THAT(world.job->result().what, HasSubstr("h1 is lost"));
  EXPECT_LT(took, absl::Seconds(10 + 12));
  EXPECT_EQ(world.running(), 0);
}

TEST(LaunchJobTest, ReportsThatAreHeldBackAreNoSilence) {
  SimWorldOfAgents world(1, "train", 8);
  world.scripts[0].trains = absl::Seconds(300);
  world.At(absl::Seconds(10), [&] {
    world.job->OnHeld(true, world.now());
    world.Silence(0);
  });
  world.At(absl::Seconds(50), [&] { world.job->OnSignal(2, world.now()); });
  world.Run();
  EXPECT_EQ(world.job->result().exit_code, 130);
}

TEST(LaunchJobTest, CtrlCEndsAllWithinTheGrace) {
  SimWorldOfAgents world(4, "train", 9);
  world.scripts[2].ignores_term = true;
  world.At(absl::Seconds(10),
           [&] { world.job->OnSignal(SIGINT, world.now()); });
  const absl::Duration took = world.Run();
  EXPECT_EQ(world.job->result().exit_code, 130);
  EXPECT_THAT(world.job->result().what, HasSubstr("SIGINT"));
  EXPECT_GT(took, absl::Seconds(20));
  EXPECT_LT(took, absl::Seconds(10 + 27));
  EXPECT_EQ(world.running(), 0);
  EXPECT_EQ(world.ended_with_trainers, 0);
}

TEST(LaunchJobTest, CtrlCInThePreflightStartsNothing) {
  SimWorldOfAgents world(100, "train", 10);
  world.scripts[1].answers = false;
  LaunchLimits limits;
  limits.jobs = 2;
  world.At(absl::Seconds(1), [&] { world.job->OnSignal(SIGINT, world.now()); });
  EXPECT_LT(world.Run(limits), absl::Seconds(5));
  EXPECT_EQ(world.job->result().exit_code, 130);
  EXPECT_THAT(world.told, IsEmpty());
}

TEST(LaunchJobTest, ServersThatAreNeverCompleteEndTheJob) {
  SimWorldOfAgents world(2, "train", 11);
  world.owners_after = 1 << 30;
  LaunchLimits limits;
  limits.owners = absl::Seconds(30);
  const absl::Duration took = world.Run(limits);
  EXPECT_EQ(world.job->result().exit_code, kExitServers);
  EXPECT_THAT(world.job->result().what,
              HasSubstr("after 30s: partition 3 has no owner"));
  EXPECT_LT(took, absl::Seconds(33));
}

TEST(LaunchJobTest, AnAgentThatLiesIsLeft) {
  SimWorldOfAgents world(2, "train", 12);
  world.At(absl::Seconds(10), [&] {
    AgentReport report;
    report.kind = ReportKind::kEnded;
    report.id = 4000;
    world.Report(1, report);
  });
  world.Run();
  EXPECT_EQ(world.job->result().exit_code, kExitHostLost);
  EXPECT_THAT(world.job->result().what, HasSubstr("process 4000"));
}

}  // namespace
}  // namespace tributary
