#include "tests/fuzz/service_world.h"

#include <utility>

#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/hot_list_of.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

constexpr size_t kMemoryBudget = size_t{64} << 10;
constexpr size_t kLeafBudget = size_t{64} << 10;
// A call takes 1.5 KiB, and 57 times its header while it is parsed.
constexpr size_t kDataBudget = size_t{1} << 20;
constexpr size_t kAttemptBudget = size_t{256} << 10;
constexpr size_t kTensorMemory = size_t{128} << 10;
constexpr uint64_t kMostEvents = 2000000;

AdmissionLimits SmallLimits() {
  AdmissionLimits limits;
  limits.running = 2;
  limits.running_per_stream = 1;
  limits.queued = 8;
  limits.queued_bytes = size_t{32} << 10;
  return limits;
}

GraphSpec MakeSpec() {
  GraphSpec spec;
  spec.num_nodes = 6;
  spec.edges = {{1, 0}, {2, 0}, {3, 0}, {0, 1}, {3, 1}, {5, 2}, {5, 5}, {4, 3}};
  spec.num_partitions = 2;
  spec.x_dim = 40;  // rows that may be left out
  for (int i = 0; i < 6 * 40; ++i) spec.x.push_back(static_cast<float>(i));
  spec.y = {0, 1, 2, 0, 1, 2};
  spec.edge_attr = {1, 2, 3, 4, 5, 6, 7, 8};
  spec.splits = {{"train", {0, 3, 5}}};
  return spec;
}

}  // namespace

void RawClient::OnMessage(IncomingMessage& message) {
  if (heard) heard(message);
}

void RawClient::OnClosed(const absl::Status&) {
  Must(!closed_, "OnClosed comes once");
  closed_ = true;
  stream.reset();
}

void RawClient::Send(OutgoingMessage message) {
  if (stream != nullptr) stream->Send(std::move(message)).IgnoreError();
}

void RawClient::Close() {
  if (stream != nullptr) stream->Close(absl::OkStatus());
}

std::shared_ptr<const Graph> FuzzGraph() {
  static const std::shared_ptr<const Graph> graph = BuildGraph(MakeSpec());
  return graph;
}

std::shared_ptr<const HotList> FuzzHotList() {
  static const std::shared_ptr<const HotList> list = HotListOf(*FuzzGraph(), 1);
  return list;
}

std::shared_ptr<const Graph> HalfOfFuzzGraph() {
  static const std::shared_ptr<const Graph> graph =
      BuildGraph(MakeSpec(), {.partitions = {0}});
  return graph;
}

Identity FuzzIdentity(absl::Span<const uint8_t> input) {
  switch (input.empty() ? 0 : input.back() % 4) {
    case 1:
      return {Role::kTrainer, "job"};
    case 2:
      return {Role::kOperator, "ann"};
    case 3:
      return {Role::kSampler, "fleet"};
    default:
      return {};
  }
}

ServiceWorld::ServiceWorld(const Identity& identity) {
  network_.SetIdentity(client_, identity);
  SamplerServiceOptions options;
  options.incarnation = 1;
  options.memory_budget = kMemoryBudget;
  options.leaf_budget = kLeafBudget;
  options.data_budget = kDataBudget;
  options.tensor_memory = kTensorMemory;
  options.attempt_budget = kAttemptBudget;
  options.unused_attempt_timeout = absl::Seconds(10);
  options.admission = SmallLimits();
  options.max_streams = 2;
  SamplerServiceEnvironment environment;
  environment.executor = server_;
  environment.leaf_executor = server_;
  service_ = std::make_unique<SamplerService>(
      options, environment,
      ServedGraph{.graph = FuzzGraph(), .hot_lists = {FuzzHotList()}});
  network_.Listen(server_, {"server", 1}, service_.get());
}

ServiceWorld::~ServiceWorld() {
  for (const auto& client : clients_) client->Close();
  for (const auto& trainer : trainers_) trainer->Close();
  const absl::Time closed = world_.now();
  Must(world_.Drain(kMostEvents), "the server comes to rest");
  Must(world_.now() - closed < absl::Minutes(1), "and soon");
  for (const auto& client : clients_) {
    Must(client->closed(), "each stream closes");
  }
  Must(service_->active() == 0 && service_->queued() == 0, "no batch is left");
  Must(service_->budget().used() == 0, "the budget is whole again");
  Must(service_->leaf_budget().used() == 0, "so is that of leaf calls");
  Must(service_->data_budget().used() == 0, "and that of data calls");
  Must(service_->tensors().open_attempts() == 0, "no attempt is open");
  Must(service_->tensors().staging().used() == 0, "and no gradient is left");
  for (const BudgetState& budget : service_->shared_budgets()) {
    Must(budget.name != "attempt budget" || budget.used == 0 ||
             service_->tensors().memory().used() > 0,
         "nor anything of attempts but placements of persistent tensors");
  }
}

std::shared_ptr<RawClient> ServiceWorld::Connect(StreamMethod method) {
  auto client = std::make_shared<RawClient>();
  client->stream =
      network_.TransportOf(client_)->Connect({"server", 1}, method, client);
  clients_.push_back(client);
  return client;
}

std::shared_ptr<ScriptedTrainer> ServiceWorld::ConnectTrainer() {
  return trainers_.emplace_back(
      ScriptedTrainer::Connect(network_.TransportOf(client_), {"server", 1}));
}

void ServiceWorld::Run(absl::Duration time) {
  bool due = false;
  world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
  Must(world_.RunUntil([&due] { return due; }, time + absl::Seconds(1)),
       "time passes");
}

}  // namespace tributary
