#include "trainer_client/core/testing/loader_world.h"

#include <gtest/gtest.h>

#include <utility>

namespace tributary {

LoaderWorld::LoaderWorld(Options options)
    : options_(std::move(options)),
      world_(options_.seed),
      network_(std::make_unique<SimNetwork>(&world_, options_.faults)),
      trainer_(world_.AddNode("trainer")),
      strand_(std::make_shared<Strand>(trainer_)) {
  for (int i = 0; i < options_.num_servers; ++i) {
    FakeSampler::Settings settings;
    settings.node = world_.AddNode("server" + std::to_string(i));
    settings.executor = settings.node;
    settings.incarnation = static_cast<uint64_t>(i) + 1;
    servers_.push_back(std::make_unique<FakeSampler>(std::move(settings)));
    Listen(static_cast<size_t>(i));
  }
  LoaderSession session;
  session.spec = std::make_shared<const std::string>("the specification");
  session.identity = Sha256Of(*session.spec);
  session.inputs = Sha256Of("the inputs");
  std::vector<int64_t> ids(options_.order.num_inputs);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = 1000 + i;
  session.input_ids = std::make_shared<const std::vector<int64_t>>(ids);
  session.order = options_.order;
  core_ = std::make_shared<LoaderCore>(options_.core, session, strand_);
}

LoaderWorld::~LoaderWorld() {
  if (!closed_) CloseAndCheckEmpty();
}

void LoaderWorld::Listen(size_t i) {
  network_->Listen(node(i), AddressOf(i), servers_[i].get());
}

void LoaderWorld::Start() {
  ServerFleetOptions fleet;
  for (size_t i = 0; i < servers_.size(); ++i) {
    fleet.source.addresses.push_back(AddressOf(i));
  }
  fleet.num_clients = options_.num_clients;
  fleet.client_rank = options_.client_rank;
  fleet.link = options_.link;
  fleet.link.transport = network_->TransportOf(trainer_);
  fleet.link.strand = strand_;
  fleet.link.client_name = "test";
  fleet.jitter_seed = options_.seed;
  strand_->Post([this, fleet] {
    auto servers = std::make_shared<ServerFleet>(fleet);
    core_->Start(servers);
    servers->Start();
  });
  Run(absl::Milliseconds(1));
}

void LoaderWorld::Run(absl::Duration time) {
  bool due = false;
  world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
  world_.RunUntil([&due] { return due; }, time + absl::Seconds(1));
}

absl::StatusOr<std::optional<BatchLease>> LoaderWorld::Next(
    absl::Duration limit) {
  std::optional<absl::StatusOr<std::optional<BatchLease>>> result;
  strand_->Post([&] {
    core_->Next([&](auto answer) { result.emplace(std::move(answer)); });
  });
  if (!world_.RunUntil([&] { return result.has_value(); }, limit)) {
    ADD_FAILURE() << "Next() did not answer within " << limit;
    return absl::InternalError("the test's limit");
  }
  return *std::move(result);
}

void LoaderWorld::Check(const BatchLease& lease) {
  EpochOrder order(options_.order, core_->CursorAfter(0));
  const uint64_t index = lease.index();
  const TensorView* numbers = lease.view().Find("input_id");
  const TensorView* ids = lease.view().Find("n_id");
  const TensorView* x = lease.view().Find("x");
  ASSERT_TRUE(numbers != nullptr && ids != nullptr && x != nullptr);
  const auto got = numbers->As<uint64_t>();
  EXPECT_EQ(std::vector<uint64_t>(got.begin(), got.end()),
            order.InputNumbers(index));
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(ids->As<int64_t>()[i], static_cast<int64_t>(1000 + got[i]));
  }
  for (uint8_t byte : x->data) {
    ASSERT_EQ(byte, static_cast<uint8_t>(index * 7));
  }
}

std::vector<uint64_t> LoaderWorld::TakeAll() {
  std::vector<uint64_t> indices;
  while (true) {
    auto next = Next();
    if (!next.ok()) {
      errors.push_back(next.status());
      if (errors.size() > 1000) return indices;
      continue;
    }
    if (!next->has_value()) return indices;
    Check(**next);
    indices.push_back((*next)->index());
  }
}

void LoaderWorld::CloseAndCheckEmpty() {
  closed_ = true;
  bool closed = false;
  strand_->Post([&] { core_->Close([&closed] { closed = true; }); });
  EXPECT_TRUE(world_.RunUntil([&] { return closed; }, absl::Minutes(1)));
  const SlotRingStats ring = core_->ring().stats();
  EXPECT_EQ(ring.used_bytes, ring.leased_bytes);
  EXPECT_EQ(ring.leased, 0);
}

void LoaderWorld::Crash(size_t server,
                        std::optional<absl::Duration> restart_after) {
  FakeSampler::Settings settings = servers_[server]->settings();
  network_->Crash(node(server));
  if (!restart_after.has_value()) return;
  settings.node = world_.AddNode("server" + std::to_string(server));
  settings.executor = settings.node;
  settings.incarnation = next_incarnation_++;
  dead_.push_back(std::move(servers_[server]));
  servers_[server] = std::make_unique<FakeSampler>(std::move(settings));
  world_.Schedule(-1, world_.now() + *restart_after,
                  [this, server] { Listen(server); });
}

}  // namespace tributary
