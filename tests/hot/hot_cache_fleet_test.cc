// Fleets of real servers with and without caches of hot rows: the same batches,
// and the bytes that the caches were predicted to save.
#include <sys/socket.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "channel/grpc/testing/raw_http2.h"
#include "cli/hot/make_hot_cache.h"
#include "cli/sample/sample_request.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/writer/writer.h"
#include "sampler_server/server/sampler_server.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr int kServers = 4;
constexpr int64_t kNodes = 6000;
constexpr int64_t kCommunities = 24;  // node v is in community v mod 24
constexpr uint64_t kSeed = 5;

// Every node has 8 neighbours of its community and 3 of all, and both are drawn
// with a preference for a few, as in most graphs. Row v of x has 16 values.
GraphContent PlantedGraph() {
  GraphSpec spec{.name = "planted", .num_nodes = kNodes};
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto skewed = [&](int64_t n, double power) {
    return static_cast<int64_t>(static_cast<double>(n) *
                                std::pow(unit(random), power));
  };
  const int64_t members = kNodes / kCommunities;
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int i = 0; i < 8; ++i) {
      spec.edges.push_back(
          {v % kCommunities + kCommunities * skewed(members, 2), v});
    }
    for (int i = 0; i < 3; ++i) spec.edges.push_back({skewed(kNodes, 3), v});
    if (v / kCommunities % 3 == 0) spec.splits["train"].push_back(v);
    for (int i = 0; i < 16; ++i) {
      spec.x.push_back(static_cast<float>(v) + static_cast<float>(i) / 16);
    }
    spec.y.push_back(v % 7);
  }
  spec.x_dim = 16;
  return MakeContent(spec);
}

// A METIS cut of that graph into a partition for each server, made once.
class HotFleetTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    const GraphContent content = PlantedGraph();
    NodePlan plan =
        PlanNodes(content, {.method = "metis", .num_partitions = kServers})
            .value();
    const auto written = WriteGraph(content, std::move(plan), Graph(),
                                    {.made_by = "test", .flush = false});
    ASSERT_TRUE(written.ok()) << written.status();
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string Graph() { return folder_->File("graph"); }
  void TearDown() override { std::filesystem::remove_all(Graph() + "/hot"); }

  static HotCacheRequest Request(const std::string& size, HotOrder order) {
    SampleArguments arguments;
    arguments.graph = Graph();
    arguments.session.Set("input_nodes", "train");
    arguments.session.Set("num_neighbors", "6,4");
    arguments.session.Set("batch_size", "20");
    arguments.session.Set("random_seed", absl::StrCat(kSeed));
    HotCacheRequest request;
    request.sample = ParseSampleArguments(arguments).value();
    request.size = HotSize::Parse(size).value();
    request.order = order;
    request.made_by = "test";
    return request;
  }
  static HotCacheReport MakeCache(const std::string& size, HotOrder order) {
    const auto report = MakeHotCache(Request(size, order));
    EXPECT_TRUE(report.ok()) << report.status();
    return *report;
  }

 private:
  static TemporaryFolder* folder_;
};
TemporaryFolder* HotFleetTest::folder_ = nullptr;

// A server for each partition.
class Fleet {
 public:
  Fleet(const std::string& graph, bool hot_cache) {
    const std::string list = folder_.File("servers.txt");
    std::ofstream(list) << "";
    std::string addresses;
    for (uint32_t p = 0; p < kServers; ++p) {
      SamplerServerOptions options;
      options.graphs = {{graph, std::vector<uint32_t>{p}}};
      options.peers = "file:" + list;
      options.threads = 1;
      options.http = Address{"127.0.0.1", 0};
      options.hot_cache = hot_cache;
      servers_.push_back(SamplerServer::Start(options).value());
      addresses += servers_.back()->address().ToString() + "\n";
    }
    std::ofstream(list) << addresses;
    options_.servers = "file:" + list;
    options_.buffer_size = uint64_t{16} << 20;
  }

  // Returns the digests of an epoch whose batches server `s` alone makes.
  std::vector<std::string> Epoch(int s, const SessionOptions& session,
                                 uint64_t epoch) {
    RemoteDistSamplingWorkerOptions worker = options_;
    worker.server_rank = {s};
    const auto workers = SamplingWorkers::Open(worker).value();
    const auto loader =
        DistLoader::Create(session, workers->loader(), workers->environment())
            .value();
    EXPECT_TRUE(loader->StartEpoch(epoch).ok());
    std::vector<std::string> digests;
    for (;;) {
      auto batch = loader->Next();
      EXPECT_TRUE(batch.ok()) << batch.status();
      if (!batch.ok() || !batch->has_value()) return digests;
      digests.push_back(ToHex((*batch)->view().Digest()));
    }
  }

  // Returns a metric of server `s`.
  double Metric(int s, const std::string& name) const {
    raw_http2::Connection http(servers_[s]->http_address()->port);
    http.Send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    std::string text;
    char buffer[4096];
    for (ssize_t n; (n = recv(http.fd(), buffer, sizeof(buffer), 0)) > 0;) {
      text.append(buffer, static_cast<size_t>(n));
    }
    const size_t at = text.find("\n" + name + " ");
    double value = -1;
    if (at != std::string::npos) {
      const size_t from = at + name.size() + 2;
      EXPECT_TRUE(absl::SimpleAtod(
          text.substr(from, text.find('\n', from) - from), &value));
    }
    EXPECT_GE(value, 0) << name << " in " << text;
    return value;
  }
  double Sum(const std::string& name) const {
    double sum = 0;
    for (int s = 0; s < kServers; ++s) sum += Metric(s, name);
    return sum;
  }

 private:
  TemporaryFolder folder_;
  std::vector<std::unique_ptr<SamplerServer>> servers_;
  RemoteDistSamplingWorkerOptions options_;
};

constexpr char kRemote[] = "tributary_remote_row_bytes_total{table=\"nodes\"}";

SessionOptions TrainSession() {
  NeighborLoaderOptions options;
  options.input_split = "train";
  options.num_neighbors = {6, 4};
  options.batch_size = 20;
  options.random_seed = kSeed;
  return SessionOptions(options, NeighborOptions(options));
}

// The inputs of one partition, in its own order.
SessionOptions LocalSession(const tributary::Graph& graph, uint32_t p) {
  SessionOptions session = TrainSession();
  session.input_split.clear();
  const auto train = graph.Split(0, "train").value();
  for (const int64_t id : train) {
    if (graph.node_map(0).Locate(id)->partition == p) {
      session.input_nodes.push_back(id);
    }
  }
  session.own_inputs = true;
  session.shuffle = ShuffleMode::kLocal;
  return session;
}

void ExpectWithin10Percent(double measured, double predicted,
                           const std::string& what) {
  EXPECT_GT(predicted, 0) << what;
  EXPECT_LE(std::abs(measured - predicted), 0.1 * predicted)
      << what << ": measured " << measured << ", predicted " << predicted;
}

// Runs an epoch that neither chose nor predicted on each server, with and
// without its cache, and compares the bytes that peers sent with the report.
class PredictionTest : public HotFleetTest,
                       public testing::WithParamInterface<HotOrder> {};

TEST_P(PredictionTest, RemoteBytesAreThosePredicted) {
  const bool local = GetParam() == HotOrder::kLocal;
  const HotCacheReport report = MakeCache("0.1", GetParam());
  Fleet without(Graph(), /*hot_cache=*/false), with(Graph(), true);
  const auto graph = tributary::Graph::Open(Graph()).value();
  double before_sum = 0, after_sum = 0, batches_sum = 0;
  for (int s = 0; s < kServers; ++s) {
    const PartitionForecast& forecast = report.partitions[s];
    const SessionOptions session =
        local ? LocalSession(*graph, static_cast<uint32_t>(s)) : TrainSession();
    const auto plain = without.Epoch(s, session, 9);
    ASSERT_EQ(plain.size(), forecast.batches);
    EXPECT_EQ(with.Epoch(s, session, 9), plain);
    const auto batches = static_cast<double>(plain.size());
    const double before = without.Metric(s, kRemote);
    const double after = with.Metric(s, kRemote);
    const std::string server = absl::StrCat("server ", s);
    ExpectWithin10Percent(before / batches, forecast.before.bytes,
                          server + " without");
    ExpectWithin10Percent(after / batches, forecast.after.bytes,
                          server + " with");
    EXPECT_EQ(with.Metric(s, "tributary_hot_cache_saved_bytes_total"),
              before - after);
    before_sum += before, after_sum += after, batches_sum += batches;
  }
  ExpectWithin10Percent((before_sum - after_sum) / batches_sum,
                        report.before.bytes - report.after.bytes, "saved");
  // The owners sent as much less: their count is another's.
  EXPECT_EQ(without.Sum("tributary_leaf_reply_bytes_total") -
                with.Sum("tributary_leaf_reply_bytes_total"),
            before_sum - after_sum);
  RecordProperty("predicted_before", absl::StrCat(report.before.bytes));
  RecordProperty("predicted_after", absl::StrCat(report.after.bytes));
  RecordProperty("bytes_before", absl::StrCat(before_sum / batches_sum));
  RecordProperty("bytes_after", absl::StrCat(after_sum / batches_sum));
  // A tenth of the nodes has more than a tenth of the accesses.
  EXPECT_LT(after_sum, 0.8 * before_sum);
}

INSTANTIATE_TEST_SUITE_P(Orders, PredictionTest,
                         testing::Values(HotOrder::kGlobal, HotOrder::kLocal),
                         [](const auto& order) {
                           return order.param == HotOrder::kGlobal
                                      ? std::string("Global")
                                      : std::string("Local");
                         });

// METIS keeps neighbours together, which helps a server that makes the batches
// of its own inputs.
TEST_F(HotFleetTest, LocalOrderAsksLessOfPeersAndEachSizeLess) {
  HotCacheRequest global = Request("0.1", HotOrder::kGlobal);
  HotCacheRequest local = Request("0.1", HotOrder::kLocal);
  global.dry_run = local.dry_run = true;
  const auto any = MakeHotCache(global);
  const auto own = MakeHotCache(local);
  ASSERT_TRUE(any.ok() && own.ok());
  EXPECT_FALSE(std::filesystem::exists(Graph() + "/hot"));
  EXPECT_LT(own->before.bytes, 0.8 * any->before.bytes);
  EXPECT_LT(own->after.bytes, any->after.bytes);
  for (const HotCacheReport* report : {&*any, &*own}) {
    double last = report->before.bytes;
    for (size_t i = 0; i + 1 < report->sizes.size(); ++i) {
      EXPECT_LE(report->sizes[i].remote_bytes, last);
      last = report->sizes[i].remote_bytes;
    }
    EXPECT_DOUBLE_EQ(report->sizes.back().remote_bytes, report->after.bytes);
  }
}

TEST_F(HotFleetTest, BatchesAreTheSameWithEachSizeOfCache) {
  std::vector<SessionOptions> sessions(3, TrainSession());
  sessions[1].feature_dtype = FeatureDType::kInt8;
  std::get<NeighborOptions>(sessions[2].kind).draws.disjoint = true;
  Fleet without(Graph(), /*hot_cache=*/false);
  std::vector<std::vector<std::string>> plain;
  for (const SessionOptions& session : sessions) {
    plain.push_back(without.Epoch(0, session, 3));
    EXPECT_EQ(plain.back().size(), 101u);  // 2016 inputs
  }
  for (const std::string size : {"0.02", "1", "20KB"}) {
    MakeCache(size, HotOrder::kGlobal);
    Fleet with(Graph(), true);
    for (size_t i = 0; i < sessions.size(); ++i) {
      EXPECT_EQ(with.Epoch(0, sessions[i], 3), plain[i]) << size << " " << i;
    }
    EXPECT_GT(with.Metric(0, "tributary_hot_cache_hits_total"), 0);
    EXPECT_GT(with.Metric(0, "tributary_hot_cache_bytes"), 0);
    if (size == "20KB") {
      EXPECT_LE(with.Metric(0, "tributary_hot_cache_bytes"), 22 << 10);
    }
  }
}

TEST_F(HotFleetTest, ADamagedCacheIsRefusedUnlessItIsOff) {
  MakeCache("0.1", HotOrder::kGlobal);
  const std::string x = Graph() + "/hot/part-1/node/x.npy";
  std::fstream file(x, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-1, std::ios::end);
  file.put('\x7f');
  file.close();
  SamplerServerOptions options;
  options.graphs = {{Graph(), std::vector<uint32_t>{1}}};
  const absl::Status refused = SamplerServer::Start(options).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(refused.message()), HasSubstr(x + ": its CRC32C"));
  options.hot_cache = false;
  EXPECT_TRUE(SamplerServer::Start(options).ok());
  options.hot_cache = true;
  options.graphs = {{Graph(), std::vector<uint32_t>{0}}};
  EXPECT_TRUE(SamplerServer::Start(options).ok()) << "its cache is whole";
}

TEST_F(HotFleetTest, WhatCannotBeCachedIsRefusedByName) {
  const auto refused = [](const HotCacheRequest& request) {
    const auto report = MakeHotCache(request);
    return std::string(report.status().message());
  };
  HotCacheRequest request = Request("0.1", HotOrder::kLocal);
  request.sample.session.options.kind = LinkOptions();
  EXPECT_THAT(refused(request), HasSubstr("allowed for links: global"));

  const TemporaryFolder folder;
  GraphSpec spec{.num_nodes = 4, .edges = {{0, 1}, {1, 2}}};
  spec.splits["train"] = {0, 1};
  request = Request("0.1", HotOrder::kGlobal);
  request.sample.graph = folder.File("one");
  WriteGraphTo(spec, request.sample.graph);
  EXPECT_THAT(refused(request), HasSubstr("has one partition"));
  spec.num_partitions = 2;
  request.sample.graph = folder.File("bare");
  WriteGraphTo(spec, request.sample.graph);
  EXPECT_THAT(refused(request), HasSubstr("no features of nodes"));
  EXPECT_FALSE(std::filesystem::exists(request.sample.graph + "/hot"));
}

}  // namespace
}  // namespace tributary
