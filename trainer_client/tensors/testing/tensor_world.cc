#include "trainer_client/tensors/testing/tensor_world.h"

#include <cstdlib>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/tensors/gradient_rounds.h"
#include "trainer_client/tensors/snapshot_restore.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {
namespace {

GraphSpec SmallGraph() {
  GraphSpec graph;
  graph.num_nodes = 500;
  for (int64_t i = 0; i + 1 < graph.num_nodes; ++i) {
    graph.edges.push_back({i, i + 1});
  }
  return graph;
}

class SimContext final : public DistContext {
 public:
  SimContext(DistContextOptions options, std::shared_ptr<TensorClient> client)
      : options_(std::move(options)),
        client_(std::move(client)),
        rounds_(MakeGradientRounds(client_)) {}
  ~SimContext() override { client_->Close(); }

  const DistContextOptions& options() const override { return options_; }
  SamplingWorkers& workers() const override { std::abort(); }
  const GraphSchema& schema() const override { return client_->schema(); }
  absl::Status Barrier(absl::string_view name) override {
    return client_->Meet(absl::StrCat("barrier ", name), "").status();
  }
  absl::StatusOr<std::vector<std::string>> AllGather(
      absl::string_view name, const std::string& value) override {
    return client_->Meet(absl::StrCat("gather ", name), value);
  }
  absl::Status RestoreFrom(const std::string& folder) override {
    return RestoreTensors(client_, folder);
  }
  absl::Status Close() override { return Barrier("close"); }
  void Cancel() override { client_->Close(); }
  bool server_draining() const override { return client_->draining(); }
  uint64_t rows_read_ahead() const override {
    return client_->rows_read_ahead();
  }
  TensorClient& tensors() const override { return *client_; }
  GradientRounds& rounds() const override { return *rounds_; }

 private:
  const DistContextOptions options_;
  const std::shared_ptr<TensorClient> client_;
  const std::unique_ptr<GradientRounds> rounds_;
};

}  // namespace

TensorWorld::TensorWorld(const TensorWorldOptions& options)
    : options_(options), fleet_(options.seed) {
  const auto graph = BuildGraph(SmallGraph());
  for (int i = 0; i < options.num_servers; ++i) {
    SimServerOptions server;
    server.opened = graph;
    server.tensor_memory = size_t{256} << 20;  // reserved, not used
    fleet_.Add(server);
  }
  fleet_.Settle();
  fleet_.network.faults() = options.faults;
}

TensorWorld::~TensorWorld() = default;

absl::StatusOr<std::unique_ptr<DistContext>> TensorWorld::Open(
    uint64_t attempt) {
  SimExecutor* const node =
      fleet_.world.AddNode(absl::StrCat("trainer", ++clients_));
  DistContextOptions context;
  context.attempt = attempt;
  context.timeout = options_.timeout;
  TensorClientOptions options;
  options.run_until = [this](const std::function<bool()>& done) {
    if (!fleet_.world.RunUntil(done, absl::Hours(1))) {
      ADD_FAILURE() << "a call has not ended";
    }
  };
  options.attempt.transport = fleet_.network.TransportOf(node);
  options.attempt.strand = std::make_shared<Strand>(node);
  options.attempt.resolver = &resolver_;
  for (const auto& server : fleet_.servers) {
    options.attempt.source.addresses.push_back(server->address);
  }
  options.attempt.attempt = attempt;
  options.attempt.client = clients_;
  options.attempt.timeout = options_.timeout;
  options.attempt.jitter_seed = options_.seed;
  ASSIGN_OR_RETURN(auto client, TensorClient::Open(std::move(options)));
  return std::make_unique<SimContext>(context, std::move(client));
}

void TensorWorld::RunFor(absl::Duration time) {
  bool due = false;
  fleet_.world.Schedule(-1, fleet_.world.now() + time, [&due] { due = true; });
  fleet_.world.RunUntil([&due] { return due; }, time + absl::Seconds(1));
}

std::vector<int64_t> FirstRows(int64_t n) {
  std::vector<int64_t> rows(static_cast<size_t>(n));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return rows;
}

}  // namespace tributary
