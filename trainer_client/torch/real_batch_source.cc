#include "trainer_client/torch/real_batch_source.h"

#include <algorithm>
#include <utility>

#include "channel/grpc/grpc_transport.h"
#include "channel/slot_ring.h"
#include "common/status.h"
#include "common/thread_pool.h"

namespace tributary {
namespace {

class FleetSource final : public BatchSource {
 public:
  explicit FleetSource(const RemoteDistSamplingWorkerOptions& worker)
      : worker_(worker), executor_("loader", worker.num_rpc_threads) {}
  // The transport's handlers post to the executor, whose tasks use the
  // transport: neither may simply end first.
  ~FleetSource() override { transport_.Shutdown(); }

  absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Open(
      const NeighborLoaderOptions& options) override {
    return DistNeighborLoader::Create(options, worker_,
                                      {&executor_, &transport_});
  }

 private:
  const RemoteDistSamplingWorkerOptions worker_;
  GrpcTransport transport_;
  ThreadPool executor_;
};

class EmbeddedSource final : public BatchSource {
 public:
  EmbeddedSource(const RemoteDistSamplingWorkerOptions& worker,
                 std::unique_ptr<EmbeddedServer> server)
      : worker_(worker),
        server_(std::move(server)),
        executor_("loader", worker.num_rpc_threads) {
    worker_.servers = server_->address().ToString();
  }

  absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Open(
      const NeighborLoaderOptions& options) override {
    return DistNeighborLoader::Create(options, worker_,
                                      {&executor_, server_->transport()});
  }

 private:
  RemoteDistSamplingWorkerOptions worker_;
  const std::unique_ptr<EmbeddedServer> server_;
  ThreadPool executor_;
};

}  // namespace

EmbeddedServerOptions EmbeddedOptionsOf(const BatchSourceOptions& options) {
  EmbeddedServerOptions server;
  server.graph = options.graph;
  // A batch that fits the ring, which is whole pages, fits the server, which
  // reserves it twice: so nobody is told to raise an option that is not there.
  constexpr uint64_t kPage = SlotRing::kUnit;
  const uint64_t ring =
      (options.worker.buffer_size + kPage - 1) / kPage * kPage;
  server.memory_budget = std::max(server.memory_budget, 2 * ring);
  return server;
}

absl::StatusOr<std::unique_ptr<BatchSource>> OpenRealBatchSource(
    const BatchSourceOptions& options) {
  if (options.graph.empty()) {
    return std::make_unique<FleetSource>(options.worker);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<EmbeddedServer> server,
                   EmbeddedServer::Start(EmbeddedOptionsOf(options)));
  return std::make_unique<EmbeddedSource>(options.worker, std::move(server));
}

}  // namespace tributary
