// That each benchmark runs and reports; how fast is nobody's business here.
#include "benchmarks/lib/bench/bench_run.h"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

class BenchRunTest : public ::testing::TestWithParam<BenchKind> {
 protected:
  BenchRunTest() {
    options_.kind = GetParam();
    options_.time = absl::Milliseconds(100);
    options_.rmat.scale = 8;
    options_.rmat.edges = 2000;
    options_.rmat.feat_dim = 8;
    options_.threads = 1;
    options_.session.kind = NeighborOptions{.num_neighbors = {4, 3}};
    options_.session.batch_size = 16;
    options_.session.input_split = "train";
  }

  BenchOptions options_;
};

TEST_P(BenchRunTest, ReportsPositiveNumbersOfAMadeUpGraph) {
  TemporaryFolder folder;
  setenv("TMPDIR", folder.path().c_str(), 1);
  const auto report = RunBench(options_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  const nlohmann::json json = nlohmann::json::parse(ToJson(*report));
  EXPECT_EQ(json["graph"], "rmat-8");
  EXPECT_EQ(json["nodes"], 256);
  EXPECT_EQ(json["edges"], 2000);
  EXPECT_EQ(json["batch_size"], 16);
  for (const char* name :
       {"seconds", "batches_per_second", "inputs_per_second",
        "edges_per_second", "bytes_per_second", "limit_per_second", "ratio"}) {
    EXPECT_GT(json[name].get<double>(), 0) << name;
  }
  EXPECT_GE(json["seconds"].get<double>(), 0.1);
  EXPECT_NE(ToText(*report).find("ratio"), std::string::npos);
  EXPECT_EQ(report->random_line_bytes_per_second.value_or(0) > 0,
            GetParam() == BenchKind::kGather);
}

TEST_P(BenchRunTest, WithoutTimeEachBatchOfTheRangeOnce) {
  options_.time = absl::ZeroDuration();
  options_.session.batch_size = 2;
  options_.from = 1;
  options_.to = 4;
  const auto report = RunBench(options_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->batches, 2);  // 2 and 3, for 1 is start-up
  EXPECT_NEAR(report->inputs_per_second * report->seconds, 4, 1e-6);
  options_.to = 2;
  EXPECT_EQ(RunBench(options_).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_P(BenchRunTest, AGraphThatIsNotThere) {
  options_.source.graph = "/nowhere";
  EXPECT_EQ(RunBench(options_).status().code(), absl::StatusCode::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(All, BenchRunTest,
                         ::testing::Values(BenchKind::kSample,
                                           BenchKind::kGather));

// 2^8 nodes and 300,000 edges: 8 bytes for the row's end and 8 for the id of
// each node, 8 for each edge, and headers.
TEST(BenchLimitTest, IsMeasuredInAsMuchMemoryAsSamplingReads) {
  BenchOptions options;
  options.time = absl::Milliseconds(30);
  options.rmat.scale = 8;
  options.rmat.edges = 300000;
  options.rmat.feat_dim = 0;
  options.threads = 1;
  options.session.kind = NeighborOptions{.num_neighbors = {4, 3}};
  options.session.batch_size = 16;
  options.session.input_split = "train";
  const auto report = RunBench(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->limit, "random cache lines of 2 MiB");
}

TEST(BenchStreamTest, OfNoServers) {
  BenchOptions options;
  options.kind = BenchKind::kStream;
  EXPECT_EQ(RunBench(options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(BenchReportTest, JsonToTheLetter) {
  BenchReport report;
  report.kind = BenchKind::kStream;
  report.graph = "g";
  report.nodes = 4;
  report.edges = 3;
  report.batch_size = 2;
  report.threads = 1;
  report.first_batch_seconds = 0.25;
  report.batches = 4;
  report.seconds = 0.5;
  report.waited_seconds = 0.125;
  report.batches_per_second = 8;
  report.inputs_per_second = 16;
  report.edges_per_second = 32;
  report.bytes_per_second = 64;
  report.limit = "l";
  report.limit_per_second = 128;
  report.ratio = 0.5;
  EXPECT_EQ(ToJson(report),
            "{\"benchmark\":\"stream\",\"graph\":\"g\",\"nodes\":4,"
            "\"edges\":3,\"batch_size\":2,\"threads\":1,"
            "\"first_batch_seconds\":0.25,\"batches\":4,"
            "\"seconds\":0.5,\"waited_seconds\":0.125,"
            "\"batches_per_second\":8.0,\"inputs_per_second\":16.0,"
            "\"edges_per_second\":32.0,\"bytes_per_second\":64.0,"
            "\"limit\":\"l\",\"limit_per_second\":128.0,\"ratio\":0.5}\n");
  report.random_line_bytes_per_second = 256;
  report.random_line_memory = "3 KiB";
  const nlohmann::json json = nlohmann::json::parse(ToJson(report));
  EXPECT_EQ(json["random_line_bytes_per_second"], 256);
  EXPECT_EQ(json["random_line_memory"], "3 KiB");
  EXPECT_NE(
      ToText(report).find("256 bytes a second in random cache lines of 3 KiB"),
      std::string::npos);
  report.step_seconds = 0.05;
  report.wait_ratio = 0.25;
  EXPECT_EQ(nlohmann::json::parse(ToJson(report))["wait_ratio"], 0.25);
  EXPECT_NE(
      ToText(report).find("0.250 of the last minute, with steps of 0.050"),
      std::string::npos);
}

}  // namespace
}  // namespace tributary
