// A new version of a graph follows the old one in a fleet that is at work, in
// virtual time and with servers that crash meanwhile.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/testing/sim_random.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/sampled_graph.h"
#include "tests/sim/sim_trainer.h"

namespace tributary {
namespace {

constexpr int kServers = 3;
constexpr uint32_t kParts = 3;
constexpr absl::Duration kGrace = absl::Seconds(30);

// Sampling of the old version and of the new one, which has weights.
Schedule Version(int version) {
  Schedule schedule;
  schedule.servers = kServers;
  schedule.partitions = kParts;
  schedule.owners = 2;
  schedule.batches = 60;
  schedule.draws = version;
  return schedule;
}

// Digests, as they come.
class Digests final : public SimUser {
 public:
  void OnBatch(const BatchView& view) override {
    digests.push_back(ToHex(view.Digest()));
  }
  void OnRelease(const BatchView&) override {}
  void OnError(const absl::Status& why) override { ADD_FAILURE() << why; }
  void OnLeasesFillRing(size_t) override {}

  std::vector<std::string> digests;
};

struct World {
  // With the old version everywhere.
  explicit World(uint64_t seed, int version)
      : fleet(seed), random(seed, "test") {
    for (int s = 0; s < kServers; ++s) {
      fleet.Add({.opened = GraphOf(version, s)});
    }
    fleet.Settle();
  }
  ~World() {
    for (auto& trainer : trainers) fleet.network.Crash(trainer->node());
  }
  static std::shared_ptr<const Graph> GraphOf(int version, int server) {
    const Schedule schedule = Version(version);
    return SimulatedGraph(schedule, kParts,
                          PartitionsOfServer(schedule, server));
  }
  SimTrainer& Start(int version, Digests* user) {
    SimTrainerOptions options;
    options.name = absl::StrCat("trainer", trainers.size());
    options.session = SimulatedSession(Version(version), 0, 0, 1);
    options.core.buffer_size = 256 << 10;
    options.client = options.name;
    options.seed = trainers.size() + 1;
    options.graph_content = GraphOf(version, 0)->schema().content_digest;
    for (const auto& server : fleet.servers) {
      options.servers.push_back(server->address);
    }
    trainers.push_back(std::make_unique<SimTrainer>(
        &fleet.world, &fleet.network, options, user));
    Cursor cursor;
    cursor.order = options.session.order_identity();
    trainers.back()->Run(cursor);
    return *trainers.back();
  }
  void RunFor(absl::Duration time) {
    fleet.world.RunUntil([] { return false; }, time);
  }
  bool Await(const SimTrainer& trainer) {
    return fleet.world.RunUntil([&] { return trainer.done(); },
                                absl::Minutes(5));
  }
  absl::Duration Moment() {
    return absl::Milliseconds(static_cast<int64_t>(random.Below(60)));
  }

  SimFleet fleet;
  SimRandom random;
  std::vector<std::unique_ptr<SimTrainer>> trainers;
};

const std::vector<std::string>& Alone(int version) {
  static std::map<int, std::vector<std::string>> known;
  auto& digests = known[version];
  if (!digests.empty()) return digests;
  World world(1, version);
  Digests user;
  EXPECT_TRUE(world.Await(world.Start(version, &user)));
  EXPECT_EQ(user.digests.size(), 60u);
  return digests = user.digests;
}

TEST(GraphChangeTest, TheVersionsAreNotTheSame) {
  EXPECT_NE(Alone(0), Alone(1));
}

// Servers add the new version one after the other and drop the old one
// while its job still runs; one of them dies in the middle and comes back with
// the old one alone, as a process would that has yet to read its list.
TEST(GraphChangeTest, NoBatchIsLostOrOtherwiseWhileOneFollowsTheOther) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    World world(seed, 0);
    Digests old_user, new_user;
    SimTrainer& old_job = world.Start(0, &old_user);
    SimTrainer& new_job = world.Start(1, &new_user);  // early: it must wait
    for (int s = 0; s < kServers; ++s) {
      world.RunFor(world.Moment());
      world.fleet.AddGraph(*world.fleet.servers[s], World::GraphOf(1, s));
    }
    const int number = static_cast<int>(world.random.Below(kServers));
    SimServer& victim = *world.fleet.servers[number];
    world.RunFor(world.Moment());
    world.fleet.Crash(victim);
    world.RunFor(world.Moment());
    world.fleet.Restart(victim);
    world.RunFor(world.Moment());
    world.fleet.AddGraph(victim, World::GraphOf(1, number));
    int gone = 0;
    for (int s = 0; s + 1 < kServers; ++s) {
      world.RunFor(world.Moment());
      SimServer& server = *world.fleet.servers[s];
      ASSERT_TRUE(server.service
                      ->RetireGraph(
                          World::GraphOf(0, s)->schema().layout_digest,
                          server.executor->Now() + kGrace, [&gone] { ++gone; })
                      .ok());
    }
    EXPECT_TRUE(world.Await(old_job));
    EXPECT_TRUE(world.Await(new_job));
    EXPECT_EQ(old_user.digests, Alone(0));
    EXPECT_EQ(new_user.digests, Alone(1));
    world.RunFor(2 * kGrace);
    EXPECT_EQ(gone, kServers - 1);
  }
}

}  // namespace
}  // namespace tributary
