#include "trainer_client/embedded/embedded_server.h"

#include <utility>

#include "channel/in_process_transport.h"
#include "common/text/status.h"
#include "sampler_server/server/local_service.h"

namespace tributary {
namespace {

class EmbeddedServerImpl final : public EmbeddedServer {
 public:
  explicit EmbeddedServerImpl(std::unique_ptr<LocalService> local)
      : local_(std::move(local)) {
    transport_.Listen(address_, local_->service());
  }

  ~EmbeddedServerImpl() override {
    transport_.StopListening(address_);
    local_->CancelAll();
  }

  Transport* transport() override { return &transport_; }
  const Address& address() const override { return address_; }
  Executor* executor() override { return local_->executor(); }
  const Graph& graph() const override { return local_->graph(); }

 private:
  const Address address_{"embedded", 1};
  const std::unique_ptr<LocalService> local_;
  InProcessTransport transport_{local_->executor()};
};

}  // namespace

absl::StatusOr<std::unique_ptr<EmbeddedServer>> EmbeddedServer::Start(
    const EmbeddedServerOptions& options) {
  LocalServiceOptions service;
  service.graph = options.graph;
  service.num_threads = options.num_threads;
  service.memory_budget = options.memory_budget;
  service.tensor_memory = options.tensor_memory;
  service.feature_memory = options.feature_memory;
  service.verify = options.verify;
  ASSIGN_OR_RETURN(auto local, LocalService::Start(service));
  return std::make_unique<EmbeddedServerImpl>(std::move(local));
}

}  // namespace tributary
