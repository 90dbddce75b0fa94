// A loader whose user pauses for longer than the server keeps idle streams.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/grpc/testing/raw_http2.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/server/sampler_server.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {
namespace {

// Returns true once /metrics has `text`.
bool ReportsInTime(uint16_t port, const std::string& text) {
  const absl::Time end = absl::Now() + absl::Seconds(20);
  while (absl::Now() < end) {
    raw_http2::Connection http(port);
    http.Send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    if (http.Receives(text, absl::Milliseconds(200))) return true;
  }
  return false;
}

TEST(IdleStreamsTest, ALoaderGoesOnAfterAPause) {
  const TemporaryFolder folder;
  GraphSpec graph;
  graph.num_nodes = 64;
  for (int64_t v = 0; v < 64; ++v) {
    graph.edges.push_back({(v + 1) % 64, v});
    graph.splits["train"].push_back(v);
  }
  WriteGraphTo(graph, folder.File("graph"));
  SamplerServerOptions served;
  served.graphs = {{folder.File("graph"), {}}};
  served.threads = 1;
  served.http = Address{"127.0.0.1", 0};
  served.stream_idle_timeout = absl::Seconds(2);
  const auto server = SamplerServer::Start(served).value();

  ThreadPool pool("trainer", 2);
  GrpcTransport transport;
  RemoteDistSamplingWorkerOptions worker;
  worker.servers = server->address().ToString();
  worker.rpc_timeout = absl::Seconds(20);
  worker.buffer_size = uint64_t{1} << 20;
  worker.prefetch_size = 1;
  NeighborLoaderOptions sampling;
  sampling.num_neighbors = {2};
  sampling.input_split = "train";
  sampling.batch_size = 1;
  auto loader =
      DistNeighborLoader::Create(sampling, worker, {&pool, &transport}).value();
  ASSERT_TRUE(loader->StartEpoch(0).ok());
  int taken = 0;
  for (; taken < 8; ++taken) {
    const auto batch = loader->Next();
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_TRUE(batch->has_value());
  }
  const uint16_t http = server->http_address()->port;
  EXPECT_TRUE(ReportsInTime(http, "tributary_connections 2"));
  // Counts those of the control stream and of the batches.
  EXPECT_TRUE(ReportsInTime(http, "tributary_idle_streams_closed_total 2"));
  for (;; ++taken) {
    const auto batch = loader->Next();
    ASSERT_TRUE(batch.ok()) << batch.status();
    if (!batch->has_value()) break;
  }
  EXPECT_EQ(taken, 64);
  loader.reset();
  transport.Shutdown();
}

}  // namespace
}  // namespace tributary
