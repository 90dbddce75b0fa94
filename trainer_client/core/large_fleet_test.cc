// Many loaders on a large fleet: each keeps streams to some servers only.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/loader_core.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {
namespace {

Address AddressOf(size_t server) {
  return {"server" + std::to_string(server), 1};
}

// Counts the open streams to each address.
class StreamCount final : public SimNetworkWatch {
 public:
  void OnConnect(const SimLinkInfo& link) override {
    ++open[link.address];
    most = std::max(most, open[link.address]);
  }
  void OnClosed(const SimLinkInfo& link, SimSide side) override {
    if (side == SimSide::kClient) --open[link.address];
  }
  void OnSend(const SimLinkInfo&, SimSide, const OutgoingMessage&) override {}
  void OnArrival(const SimLinkInfo&, SimSide, const OutgoingMessage&) override {
  }
  void OnClose(const SimLinkInfo&, SimSide, const absl::Status&) override {}

  std::map<Address, int> open;
  int most = 0;
};

// A loader that takes all batches of its rank, one after the other.
struct Loader {
  std::shared_ptr<Strand> strand;
  std::shared_ptr<LoaderCore> core;
  std::shared_ptr<ServerFleet> fleet;
  std::vector<uint64_t> taken;
  absl::Status error;
  bool done = false, closed = false;

  void Take() {
    core->Next([this](auto next) {
      if (!next.ok()) {
        error = next.status();
        done = true;
        return;
      }
      done = !next->has_value();
      if (done) return;
      taken.push_back((**next).index());
      strand->PostAfter(absl::Milliseconds(20), [this] { Take(); });
    });
  }
  // Returns the partitions that a server which is up owns.
  std::set<uint32_t> Owned() const {
    std::set<uint32_t> owned;
    for (const ServerLink* link : fleet->Up()) {
      owned.insert(link->description().partitions.begin(),
                   link->description().partitions.end());
    }
    return owned;
  }
};

class LargeFleetTest : public testing::Test {
 protected:
  LargeFleetTest() { network_.set_watch(&streams_); }
  ~LargeFleetTest() override {
    for (Loader& loader : loaders_) {
      loader.strand->Post([&loader] {
        loader.core->Close([&loader] { loader.closed = true; });
      });
    }
    EXPECT_TRUE(RunUntilAll(&Loader::closed, absl::Minutes(5)));
  }

  // `partitions` of 0: every server has all, which is partition 0.
  void AddServers(size_t n, uint32_t partitions) {
    std::vector<std::pair<Address, std::vector<uint32_t>>> peers;
    for (uint32_t i = 0; i < n; ++i) {
      peers.push_back({AddressOf(i), {partitions == 0 ? 0 : i % partitions}});
    }
    for (size_t i = 0; i < n; ++i) {
      FakeSampler::Settings settings;
      settings.node = world_.AddNode("server" + std::to_string(i));
      settings.executor = settings.node;
      settings.incarnation = i + 1;
      settings.partitions = peers[i].second;
      settings.peers = peers;
      settings.act = [](const v1::Credit&) {
        return FakeAct{.delay = absl::Milliseconds(15)};
      };
      servers_.push_back(std::make_unique<FakeSampler>(std::move(settings)));
      network_.Listen(servers_[i]->settings().node, AddressOf(i),
                      servers_[i].get());
    }
  }
  void AddLoaders(size_t n, size_t max_servers, uint64_t batches) {
    for (size_t i = 0; i < n; ++i) {
      SimExecutor* node = world_.AddNode("trainer" + std::to_string(i));
      Loader& loader = loaders_.emplace_back();
      loader.strand = std::make_shared<Strand>(node);
      LoaderSession session;
      session.spec = std::make_shared<const std::string>("specification");
      session.identity = Sha256Of(*session.spec);
      session.input_ids = std::make_shared<const std::vector<int64_t>>(
          std::vector<int64_t>(batches * 2, 7));
      session.order = {.num_inputs = batches * 2, .batch_size = 2};
      loader.core = std::make_shared<LoaderCore>(
          LoaderCoreOptions{.buffer_size = 256 << 10, .jitter_seed = i},
          session, loader.strand);
      ServerFleetOptions fleet;
      for (size_t s = 0; s < servers_.size(); ++s) {
        fleet.source.addresses.push_back(AddressOf(s));
      }
      fleet.max_servers = max_servers;
      fleet.client = "job/" + std::to_string(i);
      fleet.link.transport = network_.TransportOf(node);
      fleet.link.strand = loader.strand;
      fleet.link.silence = absl::Milliseconds(500);
      fleet.jitter_seed = i;
      loader.fleet = std::make_shared<ServerFleet>(fleet);
      loader.strand->Post([&loader] {
        loader.core->Start(loader.fleet);
        loader.fleet->Start();
        ASSERT_TRUE(loader.core->StartEpoch(0).ok());
        loader.Take();
      });
    }
  }
  bool RunUntilAll(bool Loader::*what, absl::Duration limit) {
    return world_.RunUntil(
        [&] {
          return std::all_of(loaders_.begin(), loaders_.end(),
                             [&](const Loader& l) { return l.*what; });
        },
        limit);
  }
  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    world_.RunUntil([&due] { return due; }, time + absl::Seconds(1));
  }
  void Crash(size_t i) {
    dead_.push_back(std::move(servers_[i]));
    network_.Crash(dead_.back()->settings().node);
  }
  void Return(size_t i) {
    FakeSampler::Settings settings = dead_.back()->settings();
    settings.node = world_.AddNode("server" + std::to_string(i));
    settings.executor = settings.node;
    settings.incarnation += 1000;
    servers_[i] = std::make_unique<FakeSampler>(std::move(settings));
    network_.Listen(servers_[i]->settings().node, AddressOf(i),
                    servers_[i].get());
  }
  void ExpectAllBatchesOnce(uint64_t batches) {
    for (const Loader& loader : loaders_) {
      EXPECT_TRUE(loader.error.ok()) << loader.error;
      ASSERT_EQ(loader.taken.size(), batches);
      for (uint64_t i = 0; i < batches; ++i) EXPECT_EQ(loader.taken[i], i);
    }
  }

  SimScheduler world_{1};
  StreamCount streams_;
  SimNetwork network_{&world_};
  std::vector<std::unique_ptr<FakeSampler>> servers_;
  std::vector<std::unique_ptr<FakeSampler>> dead_;
  std::deque<Loader> loaders_;
};

// Each loader has two streams to each of 16 servers: 100 streams to a server in
// the mean, where it would be 400 if each loader had streams to all.
TEST_F(LargeFleetTest, StreamsOfAServerAreBoundedAndEven) {
  AddServers(64, 0);
  AddLoaders(200, 16, 20);
  EXPECT_TRUE(RunUntilAll(&Loader::done, absl::Minutes(5)));
  ExpectAllBatchesOnce(20);
  EXPECT_LE(streams_.most, 200);
  int fewest = 1000;
  for (const auto& [address, open] : streams_.open) {
    fewest = std::min(fewest, open);
  }
  EXPECT_EQ(streams_.open.size(), 64);
  EXPECT_GE(fewest, 50);
  // Batches are spread as evenly as streams: 62.5 in the mean.
  for (const auto& server : servers_) {
    EXPECT_GT(server->num_credits(), 62 / 2);
    EXPECT_LT(server->num_credits(), 62 * 2);
  }
}

// 32 servers, two for each of 16 partitions; half of each pair die in turns.
TEST_F(LargeFleetTest, AnOwnerOfEachPartitionIsAlwaysInTheSubset) {
  AddServers(32, 16);
  AddLoaders(12, 4, 400);
  const auto expect_owners = [&](const char* when) {
    for (size_t i = 0; i < loaders_.size(); ++i) {
      EXPECT_EQ(loaders_[i].Owned().size(), 16) << when << ", loader " << i;
      // One owner of each, and those that rest until all is settled.
      EXPECT_LE(loaders_[i].fleet->num_up(), 21) << when << ", loader " << i;
    }
  };
  Run(absl::Seconds(1));
  expect_owners("at the beginning");
  for (size_t i = 0; i < 16; ++i) {
    const size_t server = i % 2 == 0 ? i : i + 16;
    Crash(server);
    Run(absl::Seconds(4));  // a crash is noticed within two
    expect_owners("after a crash");
    Return(server);
    Run(absl::Seconds(1));
  }
  Run(absl::Seconds(30));
  expect_owners("at the end");
  for (const Loader& loader : loaders_) {
    EXPECT_EQ(loader.fleet->num_up(), 16);
  }
  EXPECT_TRUE(RunUntilAll(&Loader::done, absl::Minutes(10)));
  ExpectAllBatchesOnce(400);
}

// A server that comes and goes moves nobody: its substitute stays.
TEST_F(LargeFleetTest, ASubstituteLeavesOnlyOnceAllHaveSettled) {
  AddServers(8, 0);
  AddLoaders(1, 3, 2000);
  Run(absl::Seconds(1));
  const auto up = [&] {
    std::set<std::string> names;
    for (const ServerLink* link : loaders_[0].fleet->Up()) {
      names.insert(link->address().host);
    }
    return names;
  };
  const std::set<std::string> before = up();
  ASSERT_EQ(before.size(), 3);
  const size_t member = std::stoul(before.begin()->substr(6));
  for (int i = 0; i < 5; ++i) {
    Crash(member);
    Run(absl::Seconds(5));
    EXPECT_EQ(up().size(), 3);
    EXPECT_EQ(up().count("server" + std::to_string(member)), 0);
    Return(member);
    Run(absl::Seconds(8));
    EXPECT_EQ(up().size(), 4);  // with the substitute, the same each time
  }
  Run(absl::Seconds(15));
  EXPECT_EQ(up(), before);
}

}  // namespace
}  // namespace tributary
