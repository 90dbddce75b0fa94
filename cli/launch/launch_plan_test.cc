#include "cli/launch/launch_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

LaunchSettings Options(absl::string_view command) {
  LaunchSettings options;
  options.workspace = "/w";
  options.graph = "mag";
  options.ip_config = "ip_config.txt";
  options.part_config = "mag/graph.json";
  options.command = ReadTrainerCommand(command).value();
  options.insecure = true;
  return options;
}

const std::vector<Address>& FourHosts() {
  static const auto& hosts = *new std::vector<Address>{{"10.0.0.1", 30050},
                                                       {"10.0.0.2", 30050},
                                                       {"10.0.0.3", 30051},
                                                       {"10.0.0.4", 30050}};
  return hosts;
}

LaunchPlan Plan(const LaunchSettings& options,
                const std::vector<Address>& nodes = FourHosts(),
                uint32_t partitions = 4) {
  const auto plan = PlanLaunch(options, nodes, partitions, {});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.value_or(LaunchPlan());
}

std::string ErrorOf(const LaunchSettings& options,
                    const std::vector<Address>& nodes = FourHosts()) {
  return std::string(PlanLaunch(options, nodes, 4, {}).status().message());
}

TEST(LaunchPlanTest, AServerAHostHasTheHostsShare) {
  const LaunchPlan plan = Plan(Options("train"));
  ASSERT_EQ(plan.hosts.size(), 4);
  const HostPlan& third = plan.hosts[2];
  EXPECT_EQ(third.name, "10.0.0.3");
  EXPECT_EQ(CommandLineOf(third.processes[0]),
            "tributary serve --graph mag --partitions 2%4 --listen "
            "10.0.0.3:30051 --peers file:ip_config.txt --drain-timeout 10 "
            "--insecure");
  EXPECT_EQ(third.processes[0].name, "server 2");
  EXPECT_EQ(third.processes[0].stage, kServerStage);
  EXPECT_THAT(third.processes[0].environment, IsEmpty());
  EXPECT_THAT(third.preflight.partitions, ElementsAre(2));
  EXPECT_THAT(third.preflight.listen, ElementsAre("10.0.0.3:30051"));
  EXPECT_THAT(plan.notes, IsEmpty());
}

TEST(LaunchPlanTest, RanksAreNumberedOverTheHosts) {
  LaunchSettings options = Options("python3 train.py");
  options.num_trainers = 2;
  const LaunchPlan plan = Plan(options);
  ASSERT_EQ(plan.hosts[3].processes.size(), 3);
  const AgentProcess& last = plan.hosts[3].processes[2];
  EXPECT_EQ(last.name, "trainer 7");
  EXPECT_EQ(last.stage, kTrainerStage);
  EXPECT_EQ(last.shell, "python3 train.py");
  for (const char* variable :
       {"RANK=7", "LOCAL_RANK=1", "WORLD_SIZE=8", "LOCAL_WORLD_SIZE=2",
        "MASTER_ADDR=10.0.0.1", "MASTER_PORT=29500", "DGL_NUM_CLIENT=8",
        "DGL_CONF_PATH=mag/graph.json",
        "TRIBUTARY_SERVERS=file:ip_config.txt"}) {
    EXPECT_THAT(last.environment, Contains(variable));
  }
  // Ranks meet at the first host.
  EXPECT_THAT(plan.hosts[0].preflight.listen,
              ElementsAre("10.0.0.1:30050", "10.0.0.1:29500"));
}

TEST(LaunchPlanTest, TorchrunIsStartedOnceAHost) {
  LaunchSettings options = Options("torchrun train.py");
  options.num_trainers = 8;
  const LaunchPlan plan = Plan(options);
  ASSERT_EQ(plan.hosts[1].processes.size(), 2);
  const AgentProcess& trainer = plan.hosts[1].processes[1];
  for (const char* variable :
       {"PET_NNODES=4", "PET_NODE_RANK=1", "PET_NPROC_PER_NODE=8",
        "PET_MASTER_ADDR=10.0.0.1", "PET_MASTER_PORT=29500"}) {
    EXPECT_THAT(trainer.environment, Contains(variable));
  }
  EXPECT_THAT(trainer.environment, Not(Contains(StartsWith("RANK="))));
}

TEST(LaunchPlanTest, NprocIsToldWhichHostItIs) {
  LaunchSettings options = Options("tributary-train --nproc 2");
  const LaunchPlan plan = Plan(options);
  ASSERT_EQ(plan.hosts[3].processes.size(), 2);
  const AgentProcess& trainer = plan.hosts[3].processes[1];
  EXPECT_EQ(trainer.shell,
            "tributary-train --nproc 2 --nnodes 4 --node-rank 3 --master-addr "
            "10.0.0.1 --master-port 29500");
  // tributary-train refuses --nproc beside them.
  EXPECT_THAT(trainer.environment, Not(Contains(StartsWith("RANK="))));
  EXPECT_THAT(trainer.environment, Not(Contains(StartsWith("WORLD_SIZE="))));
  options = Options("tributary-train --nproc 2 --nnodes 4 --node-rank $X");
  EXPECT_EQ(Plan(options).hosts[0].processes[1].shell, options.command.text);
  EXPECT_EQ(Plan(Options("t --nproc 2"), {{"127.0.0.1", 1}})
                .hosts[0]
                .processes[1]
                .shell,
            "t --nproc 2");
  EXPECT_THAT(ErrorOf(Options("t --nproc 2 | tee log")),
              HasSubstr("$TRIBUTARY_NODE_RANK"));
  options = Options("t --nproc 2");
  options.num_trainers = 3;
  EXPECT_THAT(ErrorOf(options), HasSubstr("--nproc 2"));
}

TEST(LaunchPlanTest, MoreServersHaveFollowingPorts) {
  LaunchSettings options = Options("train");
  options.num_servers = 2;
  const LaunchPlan plan = Plan(options, {{"a", 50}, {"fd00::1", 60}}, 2);
  EXPECT_EQ(plan.servers, "a:50,a:51,[fd00::1]:60,[fd00::1]:61");
  const HostPlan& host = plan.hosts[1];
  ASSERT_EQ(host.processes.size(), 3);
  EXPECT_EQ(host.processes[1].name, "server 3");
  EXPECT_THAT(CommandLineOf(host.processes[1]),
              HasSubstr("--partitions 1%2 --listen '[fd00::1]:61' --peers "
                        "'a:50,a:51,[fd00::1]:60,[fd00::1]:61'"));
  EXPECT_THAT(host.preflight.listen,
              ElementsAre("[fd00::1]:60", "[fd00::1]:61"));
  EXPECT_THAT(ErrorOf(options, {{"a", 50}, {"a", 51}}),
              HasSubstr("two servers would listen at a:51"));
  EXPECT_THAT(ErrorOf(options, {{"a", 65535}}), HasSubstr("a:65535"));
}

TEST(LaunchPlanTest, ServerThreadsWinOverSamplers) {
  LaunchSettings options = Options("train");
  options.num_samplers = 4;
  options.num_trainers = 2;
  EXPECT_THAT(CommandLineOf(Plan(options).hosts[0].processes[0]),
              HasSubstr("--threads 8"));
  options.num_servers = 3;
  EXPECT_THAT(CommandLineOf(Plan(options).hosts[0].processes[0]),
              HasSubstr("--threads 3"));
  options.num_server_threads = 5;
  const LaunchPlan plan = Plan(options);
  EXPECT_THAT(CommandLineOf(plan.hosts[0].processes[0]),
              HasSubstr("--threads 5"));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("--num-samplers 4 has no")));
}

TEST(LaunchPlanTest, PlainTextBeyondLoopbackIsAsked) {
  LaunchSettings options = Options("train");
  options.insecure = false;
  EXPECT_THAT(ErrorOf(options), HasSubstr("10.0.0.1:30050"));
  EXPECT_THAT(ErrorOf(options), HasSubstr("--insecure"));
  EXPECT_EQ(ErrorOf(options, {{"127.0.0.1", 1}, {"127.0.0.1", 2}}), "");
  options.tls = {"ca.pem", "s.pem", "s.key"};
  options.trainer_tls = {"ca.pem", "t.pem", "t.key"};
  const LaunchPlan plan = Plan(options);
  EXPECT_THAT(CommandLineOf(plan.hosts[0].processes[0]),
              HasSubstr("--tls-ca ca.pem --tls-cert s.pem --tls-key s.key"));
  EXPECT_THAT(plan.hosts[0].processes[1].environment,
              Contains("TRIBUTARY_TLS_KEY=t.key"));
}

TEST(LaunchPlanTest, HostsMayBeThereTwiceAtOtherPorts) {
  const LaunchPlan plan =
      Plan(Options("train"), {{"localhost", 1}, {"localhost", 2}}, 5);
  EXPECT_EQ(plan.hosts[1].name, "localhost:2");
  EXPECT_THAT(plan.hosts[1].preflight.partitions, ElementsAre(1, 3));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("5 partitions over 2 hosts")));
}

TEST(LaunchPlanTest, HostsOfShellCharactersAreRefused) {
  for (const char* host : {"$(id)", "-oProxyCommand=x", "a;b", "a b", ""}) {
    EXPECT_THAT(ErrorOf(Options("t"), {{host, 1}}),
                HasSubstr("no address of a machine"));
  }
}

TEST(LaunchPlanTest, VariablesOfTheUserComeLast) {
  LaunchSettings options = Options("train");
  options.passed_on = {"PYTHONPATH=/lib"};
  options.num_omp_threads = 3;
  options.extra_envs = {"OMP_NUM_THREADS=4", "A=b c"};
  options.graph_format = "csc";
  const LaunchPlan plan = Plan(options);
  const auto& environment = plan.hosts[0].processes[1].environment;
  const size_t n = environment.size();
  EXPECT_EQ(environment[n - 4], "PYTHONPATH=/lib");
  EXPECT_EQ(environment[n - 3], "OMP_NUM_THREADS=3");
  EXPECT_EQ(environment[n - 2], "OMP_NUM_THREADS=4");
  EXPECT_THAT(environment, Contains("DGL_GRAPH_FORMAT=csc"));
  EXPECT_THAT(plan.notes, ElementsAre(HasSubstr("--graph-format csc has no")));
  const std::string text = DescribePlan(plan, "/w");
  EXPECT_THAT(text, HasSubstr("A='b c' sh -c train\n"));
  EXPECT_TRUE(absl::StartsWith(text, "10.0.0.1 server 0: cd /w && tributary "));
}

}  // namespace
}  // namespace tributary
