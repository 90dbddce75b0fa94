#include "cli/sample_source.h"

#include <algorithm>
#include <utility>

#include "channel/grpc/grpc_transport.h"
#include "common/status.h"
#include "common/thread_pool.h"
#include "trainer_client/embedded/embedded_server.h"

namespace tributary {
namespace {

class EmbeddedSource final : public SampleSource {
 public:
  explicit EmbeddedSource(std::unique_ptr<EmbeddedServer> server)
      : server_(std::move(server)) {}
  LoaderEnvironment environment() override {
    return {.executor = server_->executor(), .transport = server_->transport()};
  }
  std::string servers() const override { return server_->address().ToString(); }

 private:
  const std::unique_ptr<EmbeddedServer> server_;
};

class FleetSource final : public SampleSource {
 public:
  FleetSource(std::string servers, int threads)
      : servers_(std::move(servers)), pool_("sample", threads) {}
  // The transport's handlers post to the pool, whose tasks use the transport:
  // neither may simply end first.
  ~FleetSource() override { transport_.Shutdown(); }
  LoaderEnvironment environment() override {
    return {.executor = &pool_, .transport = &transport_};
  }
  std::string servers() const override { return servers_; }

 private:
  const std::string servers_;
  GrpcTransport transport_;
  ThreadPool pool_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<SampleSource>> SampleSource::Open(
    const SampleRequest& request) {
  if (request.graph.empty()) {
    return std::make_unique<FleetSource>(request.worker.servers,
                                         request.threads);
  }
  EmbeddedServerOptions options;
  options.graph = request.graph;
  options.num_threads = request.threads;
  // A batch that fits the ring fits the server, which reserves it twice.
  options.memory_budget =
      std::max(options.memory_budget, 2 * request.worker.buffer_size);
  ASSIGN_OR_RETURN(auto server, EmbeddedServer::Start(options));
  return std::make_unique<EmbeddedSource>(std::move(server));
}

}  // namespace tributary
