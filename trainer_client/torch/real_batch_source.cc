#include "trainer_client/torch/real_batch_source.h"

#include <utility>

#include "channel/grpc/grpc_transport.h"
#include "common/status.h"
#include "common/thread_pool.h"
#include "trainer_client/embedded/embedded_server.h"

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

absl::StatusOr<std::unique_ptr<BatchSource>> OpenRealBatchSource(
    const BatchSourceOptions& options) {
  if (options.graph.empty()) {
    return std::make_unique<FleetSource>(options.worker);
  }
  ASSIGN_OR_RETURN(std::unique_ptr<EmbeddedServer> server,
                   EmbeddedServer::Start({.graph = options.graph}));
  return std::make_unique<EmbeddedSource>(options.worker, std::move(server));
}

}  // namespace tributary
