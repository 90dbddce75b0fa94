#include "trainer_client/embedded/embedded_server.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/in_process_transport.h"
#include "common/text/status.h"
#include "sampler_server/rows/serving_graph.h"
#include "sampler_server/server/local_service.h"

namespace tributary {
namespace {

class EmbeddedServerImpl final : public EmbeddedServer {
 public:
  EmbeddedServerImpl(std::shared_ptr<const Graph> graph,
                     const LocalServiceOptions& options)
      : graph_(std::move(graph)), local_(graph_, options) {
    transport_.Listen(address_, local_.service());
  }

  ~EmbeddedServerImpl() override {
    transport_.StopListening(address_);
    local_.CancelAll();
  }

  Transport* transport() override { return &transport_; }
  const Address& address() const override { return address_; }
  Executor* executor() override { return local_.executor(); }
  const Graph& graph() const override { return *graph_; }

 private:
  const Address address_{"embedded", 1};
  const std::shared_ptr<const Graph> graph_;
  LocalService local_;
  InProcessTransport transport_{local_.executor()};
};

}  // namespace

absl::StatusOr<std::unique_ptr<EmbeddedServer>> EmbeddedServer::Start(
    const EmbeddedServerOptions& options) {
  if (options.num_threads < 0 || options.num_threads > kMaxSamplingThreads) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_threads is ", options.num_threads, "; 1 to ",
                     kMaxSamplingThreads, ", or 0 for one per core"));
  }
  OpenOptions open;
  open.verify = options.verify;
  open.features = options.feature_memory;
  ASSIGN_OR_RETURN(
      auto graph, OpenServingGraph(options.graph, open, options.memory_budget));
  const int cores =
      std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  LocalServiceOptions service;
  service.threads = options.num_threads == 0
                        ? std::min(cores, kMaxSamplingThreads)
                        : options.num_threads;
  service.memory_budget = options.memory_budget;
  return std::make_unique<EmbeddedServerImpl>(std::move(graph), service);
}

}  // namespace tributary
