#include "cli/k8s/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Lines 1 to 6; the parameter of a test replaces or follows them.
constexpr char kLeast[] =
    "images:\n"
    "  sampler: r.example/s:1\n"
    "graphs:\n"
    "  - folder: /graphs/main\n"
    "    partitions: 4\n"
    "resources: {}\n";

absl::StatusOr<SamplerValues> Parse(const std::string& text,
                                    const MeasuredGraph* graph = nullptr) {
  return ParseValues(text, "v.yaml", graph);
}

TEST(SamplerValues, HasDefaults) {
  const auto values = Parse(kLeast);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->placement, PodPlacement::kSharded);
  EXPECT_EQ(values->name_space, "tributary");
  EXPECT_EQ(values->sampler_image, "r.example/s:1");
  ASSERT_EQ(values->graphs.size(), 1u);
  EXPECT_EQ(values->graphs[0].partitions, 4u);
  EXPECT_EQ(values->min_replicas, 2u);
  EXPECT_TRUE(values->autoscaler);
  EXPECT_EQ(values->prometheus_namespace, "monitoring");
  EXPECT_FALSE(values->tls);
  EXPECT_EQ(values->memory, "4Gi");
}

TEST(SamplerValues, ReadsEveryKey) {
  const auto values = Parse(
      "placement: sharded\nnamespace: gnn\n"
      "images: {sampler: 'a/b@sha256:" +
      std::string(64, '0') +
      "', tools: a/t:1}\n"
      "graphs: [{folder: /graphs/x, partitions: 2}]\n"
      "volume: {fetch: {url: s3://b/p, endpoint: 'http://s3:9000', secret: s, "
      "storage: 5Gi, storageClass: fast}}\n"
      "replicas: {min: 3, max: 5}\n"
      "autoscaler: false\nprometheus: https://p\npodMonitor: false\n"
      "prometheusNamespace: watch\ntls: cert-manager\n"
      "resources: {cpu: 1500m, memory: 8Gi, memoryBudget: 2GB, "
      "tensorMemory: 1GB, featureMemory: paged, jobWeights: 'a=2,*=1'}\n");
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->name_space, "gnn");
  ASSERT_TRUE(values->fetch.has_value());
  EXPECT_EQ(values->fetch->url, "s3://b/p");
  EXPECT_EQ(values->fetch->endpoint, "http://s3:9000");
  EXPECT_EQ(values->fetch->storage_class, "fast");
  EXPECT_EQ(values->min_replicas, 3u);
  EXPECT_EQ(values->max_replicas, 5u);
  EXPECT_FALSE(values->autoscaler);
  EXPECT_FALSE(values->pod_monitor);
  EXPECT_EQ(values->prometheus_namespace, "watch");
  EXPECT_TRUE(values->tls);
  EXPECT_EQ(values->cpu, "1500m");
  EXPECT_EQ(values->feature_memory, "paged");
  EXPECT_EQ(values->job_weights, "a=2,*=1");
}

TEST(SamplerValues, TakesPartitionsAndMemoryFromTheGraph) {
  // 1 GB + 1.25 x 512 MB + 512 MiB beside the graph, with GB of 2^30 bytes.
  const MeasuredGraph graph{6, uint64_t{3} << 30, uint64_t{12} << 30};
  const auto sharded = Parse(kLeast, &graph);
  ASSERT_TRUE(sharded.ok()) << sharded.status();
  EXPECT_EQ(sharded->graphs[0].partitions, 6u);
  EXPECT_EQ(sharded->memory, "6Gi");
  const auto whole = Parse(absl::StrCat("placement: whole\n", kLeast), &graph);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(whole->memory, "15Gi");
  const auto stated =
      Parse(absl::StrReplaceAll(kLeast, {{"{}", "{memory: 7Gi}"}}), &graph);
  ASSERT_TRUE(stated.ok()) << stated.status();
  EXPECT_EQ(stated->memory, "7Gi");
}

struct Wrong {
  std::string text;
  std::string said;
};

// `kLeast` with one replacement.
Wrong With(const std::string& from, const std::string& to,
           const std::string& said) {
  return {absl::StrReplaceAll(kLeast, {{from, to}}), said};
}

// `kLeast` and more.
Wrong And(const std::string& more, const std::string& said) {
  return {absl::StrCat(kLeast, more), said};
}

TEST(SamplerValues, RefusesWithTheLineAndWhatIsAllowed) {
  const Wrong cases[] = {
      {"", "0 documents; allowed: one mapping"},
      {"a: [", "v.yaml:1: is no YAML"},
      {"- a\n", "the file is a list"},
      {"a: 1\n---\nb: 2\n", "2 documents"},
      {"graphs: []\n", "images is missing"},
      And("partitions: 4\n", "v.yaml:7: unknown key partitions; allowed: pl"),
      And("images: {}\n", "v.yaml:7: images is there twice"),
      And("placement: both\n", "v.yaml:7: placement is \"both\"; allowed: sh"),
      And("namespace: Upper\n", "namespace is \"Upper\""),
      And("namespace: -x\n", "namespace is \"-x\""),
      And("namespace: ''\n", "namespace is \"\"; allowed: a text"),
      With("r.example/s:1", "'a b'", "v.yaml:2: images.sampler is \"a b\""),
      With("r.example/s:1", "r.example/s", "allowed: REPOSITORY:TAG or"),
      With("r.example/s:1", "r.example/S:1", "a repository is in lower case"),
      With("r.example/s:1", "sha256:" + std::string(64, '0'), "REPOSITORY@"),
      With("  sampler: r.example/s:1", "  sampler: a:1\n  tools: A",
           "v.yaml:3: images.tools is \"A\""),
      With("  sampler: r.example/s:1", "  tools: a:1", "images.sampler is mis"),
      With("/graphs/main", "/data", "v.yaml:4: graphs[0].folder is \"/data\""),
      With("/graphs/main", "/graphs/../x", "graphs[0].folder"),
      With("/graphs/main", "'/graphs/a b'", "graphs[0].folder"),
      With("partitions: 4", "partitions: 0", "a whole number from 1 to"),
      With("partitions: 4", "partitions: four", "is \"four\""),
      With("partitions: 4", "partitions: '4'", "v.yaml:5: graphs[0].partit"),
      With("    partitions: 4\n", "", "graphs[0].partitions is missing"),
      With("    partitions: 4\n",
           "    partitions: 4\n  - folder: /graphs/main\n    partitions: 2\n",
           "graphs[1].folder is \"/graphs/main\"; allowed: each folder once"),
      And("replicas: {min: 0}\n", "replicas.min is \"0\""),
      And("replicas: {min: 3, max: 2}\n", "replicas.max is \"2\"; allowed"),
      And("replicas: {min: 17}\n", "replicas.min is \"17\""),
      And("replicas: 3\n", "replicas is \"3\"; allowed: a mapping with min"),
      And("autoscaler: yes\n", "autoscaler is \"yes\"; allowed: true or false"),
      And("prometheus: prometheus:9090\n", "prometheus is"),
      And("prometheusNamespace: a.b\n", "prometheusNamespace is \"a.b\""),
      And("tls: true\n", "tls is \"true\"; allowed: none or cert-manager"),
      And("tls: {}\n", "v.yaml:7: tls is a mapping; allowed: a text"),
      And("volume: {claim: a, fetch: {url: s3://b/p}}\n", "claim or fetch"),
      And("volume: {fetch: {}}\n", "volume.fetch.url is missing"),
      And("volume: {fetch: {url: http://b/p}}\n", "allowed: s3://"),
      And("volume: {fetch: {url: s3://b/p}}\n", "images.tools is missing"),
      With("{}", "{cpu: 0}", "v.yaml:6: resources.cpu is \"0\""),
      With("{}", "{memory: 4GB}", "resources.memory is \"4GB\""),
      With("{}", "{memory: 1Gi}", "allowed: at least 3Gi: memoryBudget"),
      // Open rounds take a quarter of the tensors' memory beside it.
      With("{}", "{memory: 6Gi, tensorMemory: 4GB}", "allowed: at least 7Gi"),
      With("{}", "{memoryBudget: 1Gi, tensorMemory: lots}", "tensorMemory"),
      With("{}", "{memoryBudget: 6GB}", "resources.memory is missing"),
      With("{}", "{featureMemory: disk}", "auto, resident or paged"),
      With("{}", "{jobWeights: a}", "resources.jobWeights"),
      {"graphs: [{folder: /graphs/a, partitions: 1}]\nimages: {sampler: a:1}\n",
       "resources is missing"},
  };
  for (const Wrong& wrong : cases) {
    const auto values = Parse(wrong.text);
    EXPECT_EQ(values.status().code(), absl::StatusCode::kInvalidArgument)
        << wrong.text;
    EXPECT_THAT(std::string(values.status().message()), HasSubstr(wrong.said))
        << wrong.text;
  }
}

TEST(SamplerValues, SurvivesDeepNestingAndCycles) {
  EXPECT_FALSE(Parse(std::string(100000, '[')).ok());
  EXPECT_FALSE(Parse(std::string(100000, '{')).ok());
  EXPECT_FALSE(Parse("images: &a\n  sampler: *a\n").ok());
}

// A pod of any partition must hold the fullest one, wherever it is.
TEST(MeasureGraph, MeasuresTheFullestPartition) {
  GraphSpec spec;
  spec.num_nodes = 400;
  spec.num_partitions = 3;
  spec.x_dim = 64;
  spec.x.assign(400 * 64, 1);
  for (uint16_t fullest = 0; fullest < 3; ++fullest) {
    spec.partition_of.assign(400, fullest);
    for (int node = 0; node < 20; ++node) spec.partition_of[node] = node % 3;
    const TemporaryFolder folder;
    WriteGraphTo(spec, folder.File("graph"));
    const auto graph = MeasureGraph(folder.File("graph"));
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(graph->partitions, 3u);
    // Its features alone, of 64 float32 a node.
    EXPECT_GT(graph->bytes_of_one, 380u * 64 * 4) << fullest;
    EXPECT_GT(graph->bytes_of_all, graph->bytes_of_one);
    EXPECT_GT(graph->bytes_of_all, 400u * 64 * 4);
  }
}

TEST(MeasureGraph, NamesAFileThatIsMissing) {
  EXPECT_THAT(std::string(MeasureGraph("/no/graph").status().message()),
              HasSubstr("/no/graph/graph.json"));
}

}  // namespace
}  // namespace tributary
