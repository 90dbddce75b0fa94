#include "cli/k8s/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

SamplerValues Values(uint32_t partitions) {
  SamplerValues values;
  values.sampler_image = "r.example/s:1";
  values.graphs = {{"/graphs/main", partitions}};
  return values;
}

RenderedFiles Render(const SamplerValues& values) {
  auto files = RenderSamplers(values);
  EXPECT_TRUE(files.ok()) << files.status();
  return *std::move(files);
}

// The documents of a kind in a file.
std::vector<YAML::Node> OfKind(const std::string& text,
                               const std::string& kind) {
  std::vector<YAML::Node> found;
  for (const YAML::Node& node : YAML::LoadAll(text)) {
    if (node["kind"].Scalar() == kind) found.push_back(node);
  }
  return found;
}

std::vector<std::string> ArgumentsOf(const YAML::Node& deployment) {
  const YAML::Node containers =
      deployment["spec"]["template"]["spec"]["containers"];
  return containers[0]["args"].as<std::vector<std::string>>();
}

TEST(RenderSamplers, WritesOwnersOfEachPartition) {
  for (const uint32_t partitions : {1u, 4u, 16u}) {
    const RenderedFiles files = Render(Values(partitions));
    EXPECT_EQ(files.size(), partitions + 2);
    std::set<std::string> names;
    for (uint32_t part = 0; part < partitions; ++part) {
      const std::string number = std::to_string(part);
      const std::string& text = files.at("partition-" + number + ".yaml");
      const auto deployments = OfKind(text, "Deployment");
      ASSERT_EQ(deployments.size(), 1u);
      names.insert(deployments[0]["metadata"]["name"].Scalar());
      const YAML::Node selector =
          deployments[0]["spec"]["selector"]["matchLabels"];
      EXPECT_EQ(selector["tributary.io/partition"].Scalar(), number);
      EXPECT_THAT(ArgumentsOf(deployments[0]),
                  testing::Contains("--partitions=" + number));
      const auto budgets = OfKind(text, "PodDisruptionBudget");
      ASSERT_EQ(budgets.size(), 1u);
      EXPECT_EQ(budgets[0]["spec"]["selector"]["matchLabels"]
                       ["tributary.io/partition"]
                           .Scalar(),
                number);
      const auto scaled = OfKind(text, "ScaledObject");
      ASSERT_EQ(scaled.size(), 1u);
      EXPECT_EQ(scaled[0]["spec"]["scaleTargetRef"]["name"].Scalar(),
                "tributary-sampler-p" + number);
      EXPECT_THAT(
          scaled[0]["spec"]["triggers"][0]["metadata"]["query"].Scalar(),
          testing::AllOf(HasSubstr("partitions=\"" + number + "\""),
                         Not(HasSubstr("partitions=\"all\""))));
      EXPECT_FALSE(absl::StrContains(text, "partition: all"));
    }
    EXPECT_EQ(names.size(), partitions);
  }
}

TEST(RenderSamplers, KeepsTextsThatLookLikeNumbers) {
  const std::string text = Render(Values(2)).at("partition-1.yaml");
  EXPECT_THAT(text, HasSubstr("tributary.io/partition: \"1\"\n"));
  EXPECT_THAT(text, HasSubstr("prometheus.io/port: \"9090\"\n"));
  EXPECT_THAT(text, HasSubstr("prometheus.io/scrape: \"false\"\n"));
  EXPECT_THAT(text, HasSubstr("cpu: \"2\"\n"));
  EXPECT_THAT(text, HasSubstr("threshold: \"1\"\n"));
  EXPECT_THAT(text, HasSubstr("containerPort: 9090\n"));
}

TEST(RenderSamplers, GivesTheSameBytesEachTime) {
  EXPECT_EQ(Render(Values(4)), Render(Values(4)));
}

TEST(RenderSamplers, ListsTheGraphsOfEachPartition) {
  SamplerValues values = Values(2);
  values.graphs.push_back({"/graphs/new", 3});
  const RenderedFiles files = Render(values);
  EXPECT_EQ(files.count("partition-2.yaml"), 1u);
  const auto maps = OfKind(files.at("samplers.yaml"), "ConfigMap");
  ASSERT_EQ(maps.size(), 1u);
  const YAML::Node data = maps[0]["data"];
  EXPECT_EQ(data["partition-1.txt"].Scalar(),
            "/graphs/main 1\n/graphs/new 1\n");
  EXPECT_EQ(data["partition-2.txt"].Scalar(), "/graphs/new 2\n");
  EXPECT_EQ(data.size(), 3u);
}

// Until the older graph is gone, its further partitions have owners, too.
TEST(RenderSamplers, HasOwnersOfTheLargestGraphWhicheverItIs) {
  SamplerValues values = Values(3);
  values.graphs.push_back({"/graphs/new", 1});
  values.graphs.push_back({"/graphs/newest", 2});
  EXPECT_EQ(CountDeployments(values), 3u);
  const RenderedFiles files = Render(values);
  EXPECT_EQ(files.count("partition-2.yaml"), 1u);
  const YAML::Node data =
      OfKind(files.at("samplers.yaml"), "ConfigMap")[0]["data"];
  EXPECT_EQ(data["partition-0.txt"].Scalar(),
            "/graphs/main 0\n/graphs/new 0\n/graphs/newest 0\n");
  EXPECT_EQ(data["partition-1.txt"].Scalar(),
            "/graphs/main 1\n/graphs/newest 1\n");
  EXPECT_EQ(data["partition-2.txt"].Scalar(), "/graphs/main 2\n");
}

// A name is another's beginning: labels and arguments tell them apart.
TEST(RenderSamplers, DoesNotTakePartition1For10) {
  const RenderedFiles files = Render(Values(11));
  const auto one = OfKind(files.at("partition-1.yaml"), "Deployment")[0];
  EXPECT_THAT(ArgumentsOf(one),
              testing::IsSupersetOf(
                  {"--partitions=1", "--graph=file:/config/partition-1.txt"}));
  for (const char* part : {"partitions=\"10\"", "partition-10", "-p10"}) {
    EXPECT_THAT(files.at("partition-1.yaml"), Not(HasSubstr(part)));
  }
}

TEST(RenderSamplers, SetsWhatTheValuesSay) {
  SamplerValues values = Values(1);
  values.name_space = "gnn";
  values.cpu = "3";
  values.memory = "9Gi";
  values.memory_budget = "2GB";
  values.min_replicas = 4;
  values.max_replicas = 7;
  values.prometheus = "http://p:1";
  values.claim = "my-graphs";
  values.job_weights = "a=2,*=1";
  const RenderedFiles files = Render(values);
  EXPECT_EQ(YAML::Load(files.at("kustomization.yaml"))["namespace"].Scalar(),
            "gnn");
  const std::string& text = files.at("partition-0.yaml");
  for (const char* part :
       {"cpu: \"3\"\n", "memory: 9Gi\n", "--memory-budget=2GB",
        "minReplicaCount: 4\n", "maxReplicaCount: 7\n",
        "serverAddress: http://p:1\n", "claimName: my-graphs\n",
        "namespace=\"gnn\"", "--job-weights=a=2,*=1", "r.example/s:1"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("namespace=\"tributary\"")));
  const YAML::Node resources =
      OfKind(text, "Deployment")[0]["spec"]["template"]["spec"]["containers"][0]
                                ["resources"];
  for (const char* kind : {"requests", "limits"}) {
    EXPECT_EQ(resources[kind]["memory"].Scalar(), "9Gi") << kind;
  }
}

TEST(RenderSamplers, LeavesOutWhatAClusterLacks) {
  SamplerValues values = Values(1);
  values.autoscaler = values.pod_monitor = false;
  values.min_replicas = 3;
  RenderedFiles files = Render(values);
  const std::string& text = files.at("partition-0.yaml");
  EXPECT_TRUE(OfKind(text, "ScaledObject").empty());
  EXPECT_EQ(OfKind(text, "Deployment")[0]["spec"]["replicas"].Scalar(), "3");
  EXPECT_TRUE(OfKind(files.at("samplers.yaml"), "PodMonitor").empty());

  values = Values(1);
  EXPECT_FALSE(OfKind(Render(values).at("partition-0.yaml"),
                      "Deployment")[0]["spec"]["replicas"]
                   .IsDefined());
  // A budget of one pod would block every drain.
  values.min_replicas = 1;
  EXPECT_TRUE(
      OfKind(Render(values).at("partition-0.yaml"), "PodDisruptionBudget")
          .empty());
}

// The queries of the rules, by alert.
std::map<std::string, std::string> AlertQueries(const SamplerValues& values) {
  const auto rules =
      OfKind(Render(values).at("samplers.yaml"), "PrometheusRule");
  std::map<std::string, std::string> queries;
  for (const YAML::Node& rule : rules) {
    for (const YAML::Node& group : rule["spec"]["groups"]) {
      for (const YAML::Node& alert : group["rules"]) {
        queries[alert["alert"].Scalar()] = alert["expr"].Scalar();
      }
    }
  }
  return queries;
}

TEST(RenderSamplers, WritesAlertsOfItsNamespaceAlone) {
  SamplerValues values = Values(2);
  values.name_space = "gnn";
  const auto queries = AlertQueries(values);
  EXPECT_EQ(queries.size(), 14u);
  for (const auto& [alert, query] : queries) {
    EXPECT_THAT(query, Not(HasSubstr("namespace=\"tributary\""))) << alert;
  }
  EXPECT_EQ(queries.at("TributaryNoMetrics"),
            "absent(tributary_busy_ratio{namespace=\"gnn\"})");
  EXPECT_EQ(queries.at("TributaryAutoscalerAtMaximum"),
            "kube_horizontalpodautoscaler_status_current_replicas{namespace="
            "\"gnn\",horizontalpodautoscaler=~\".*tributary-sampler.*\"}\n"
            ">= kube_horizontalpodautoscaler_spec_max_replicas{namespace="
            "\"gnn\",horizontalpodautoscaler=~\".*tributary-sampler.*\"}\n");
  values.pod_monitor = false;
  EXPECT_TRUE(AlertQueries(values).empty());
}

// Scraped by a PodMonitor and by annotations each server would be there twice.
TEST(RenderSamplers, HasServersScrapedOnce) {
  SamplerValues values = Values(1);
  for (const bool pod_monitor : {true, false}) {
    values.pod_monitor = pod_monitor;
    const YAML::Node pod = OfKind(Render(values).at("partition-0.yaml"),
                                  "Deployment")[0]["spec"]["template"];
    EXPECT_EQ(pod["metadata"]["annotations"]["prometheus.io/scrape"].Scalar(),
              pod_monitor ? "false" : "true");
  }
}

TEST(RenderSamplers, LetsOnlyPrometheusNamespaceReadMetrics) {
  SamplerValues values = Values(1);
  values.prometheus_namespace = "watch";
  const auto policies =
      OfKind(Render(values).at("samplers.yaml"), "NetworkPolicy");
  ASSERT_EQ(policies.size(), 1u);
  const YAML::Node rule = policies[0]["spec"]["ingress"][1];
  EXPECT_EQ(rule["ports"][0]["port"].Scalar(), "http");
  EXPECT_EQ(rule["from"][0]["namespaceSelector"]["matchLabels"]
                ["kubernetes.io/metadata.name"]
                    .Scalar(),
            "watch");
}

TEST(RenderSamplers, HasKustomizeAddTls) {
  SamplerValues values = Values(3);
  EXPECT_EQ(Render(values).count("tls.yaml"), 0u);
  values.tls = true;
  const RenderedFiles files = Render(values);
  EXPECT_EQ(CountDeployments(values), 3u);
  EXPECT_EQ(OfKind(files.at("tls.yaml"), "Certificate").size(), 2u);
  const YAML::Node root = YAML::Load(files.at("kustomization.yaml"));
  EXPECT_THAT(root["resources"].as<std::vector<std::string>>(),
              testing::Contains("tls.yaml"));
  std::set<std::string> kinds;
  for (const YAML::Node& patch : root["patches"]) {
    kinds.insert(patch["target"]["kind"].Scalar());
    EXPECT_EQ(files.count(patch["path"].Scalar()), 1u);
  }
  EXPECT_THAT(kinds, ElementsAre("Deployment", "PodMonitor", "Service"));
  for (const auto& [name, text] : files) {
    EXPECT_TRUE(absl::StartsWith(text, kRenderedMark)) << name;
  }
}

TEST(RenderSamplers, FetchesTheGraphToAVolumeOfThePod) {
  SamplerValues values = Values(1);
  values.tools_image = "r.example/t:1";
  values.fetch =
      FetchedGraph{"s3://b/p", "http://s3:9000", "keys", "5Gi", "fast"};
  const auto deployments =
      OfKind(Render(values).at("partition-0.yaml"), "Deployment");
  const YAML::Node pod = deployments[0]["spec"]["template"]["spec"];
  const YAML::Node init = pod["initContainers"][0];
  EXPECT_EQ(init["image"].Scalar(), "r.example/t:1");
  EXPECT_THAT(init["args"].as<std::vector<std::string>>(),
              ElementsAre("get", "s3://b/p", "/graphs/main", "--partitions=0",
                          "--endpoint=http://s3:9000"));
  ASSERT_EQ(init["env"].size(), 2u);
  for (const YAML::Node& variable : init["env"]) {
    EXPECT_EQ(variable["valueFrom"]["secretKeyRef"]["name"].Scalar(), "keys");
  }
  const YAML::Node volume = pod["volumes"][0];
  EXPECT_EQ(volume["name"].Scalar(), "graphs");
  EXPECT_FALSE(volume["persistentVolumeClaim"].IsDefined());
  const YAML::Node claim = volume["ephemeral"]["volumeClaimTemplate"]["spec"];
  EXPECT_EQ(claim["storageClassName"].Scalar(), "fast");
  EXPECT_EQ(claim["resources"]["requests"]["storage"].Scalar(), "5Gi");
}

TEST(RenderSamplers, WritesOneDeploymentOfAllPartitions) {
  SamplerValues values = Values(0);
  values.placement = PodPlacement::kWhole;
  const RenderedFiles files = Render(values);
  EXPECT_EQ(files.size(), 3u);
  const auto deployments = OfKind(files.at("whole.yaml"), "Deployment");
  ASSERT_EQ(deployments.size(), 1u);
  EXPECT_EQ(deployments[0]["metadata"]["name"].Scalar(), "tributary-sampler");
  EXPECT_THAT(ArgumentsOf(deployments[0]),
              testing::Contains("--partitions=all"));
  EXPECT_THAT(files.at("samplers.yaml"), HasSubstr("/graphs/main all\n"));
}

}  // namespace
}  // namespace tributary
