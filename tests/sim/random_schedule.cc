#include "tests/sim/random_schedule.h"

#include <algorithm>

#include "common/testing/sim_random.h"
#include "tests/abuse/abuse.h"

namespace tributary {
namespace {

// Draws a schedule part by part. Small cases are as likely as large ones: most
// faults show best where little else goes on.
class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed, "schedule") {
    schedule_.seed = static_cast<int64_t>(seed);
  }

  Schedule Make() {
    World();
    if (random_.Chance(0.05)) {
      Normalize(schedule_);
      return schedule_;
    }
    Shortages();
    Network();
    random_.Chance(0.03) ? DeadlyBatches() : Faults();
    Normalize(schedule_);
    return schedule_;
  }

  // Draws from a stream of its own, so that the other fields of a seed stay.
  Schedule WithDraws(Schedule schedule) {
    SimRandom random(static_cast<uint64_t>(schedule.seed), "draws");
    if (schedule.kind == kSimNeighbors && random.Chance(0.5)) {
      schedule.draws = static_cast<int64_t>(random.Below(kSimDrawWays));
      Normalize(schedule);
    }
    SimRandom others(static_cast<uint64_t>(schedule.seed), "predicates");
    if (schedule.kind == kSimNeighbors && others.Chance(0.2)) {
      schedule.predicates = 1;
    }
    SimRandom masks(static_cast<uint64_t>(schedule.seed), "edge_mask");
    if (schedule.kind == kSimNeighbors && masks.Chance(0.1)) {
      schedule.predicates = kSimMasks;
    }
    SimRandom edges(static_cast<uint64_t>(schedule.seed), "subgraph");
    if (edges.Chance(0.2)) {
      schedule.subgraph = 1 + static_cast<int64_t>(edges.Below(2));
      Normalize(schedule);
    }
    SimRandom directions(static_cast<uint64_t>(schedule.seed), "edge_dir");
    if (schedule.kind == kSimNeighbors && directions.Chance(0.2)) {
      schedule.edge_dir = 1 + static_cast<int64_t>(directions.Below(2));
      Normalize(schedule);
    }
    SimRandom features(static_cast<uint64_t>(schedule.seed), "features");
    if (features.Chance(0.2)) {
      schedule.features = 1 + static_cast<int64_t>(features.Below(3));
    }
    SimRandom scaled(static_cast<uint64_t>(schedule.seed), "scaled");
    schedule.scaled = scaled.Chance(0.2) ? 1 : 0;
    SimRandom omitted(static_cast<uint64_t>(schedule.seed), "omit_edge_ids");
    schedule.omit_edge_ids = omitted.Chance(0.25) ? 1 : 0;
    SimRandom disks(static_cast<uint64_t>(schedule.seed), "disks");
    if (disks.Chance(0.25)) {
      constexpr int64_t kSlowest[] = {50, 2000, 50'000};
      schedule.disk_us = kSlowest[disks.Below(std::size(kSlowest))];
      if (disks.Chance(0.5)) {
        schedule.disk_error_ppm = disks.Chance(0.5) ? 20'000 : 500'000;
      }
    }
    SimRandom certificates(static_cast<uint64_t>(schedule.seed),
                           "certificates");
    schedule.certificates = certificates.Chance(0.5) ? 1 : 0;
    SimRandom abuses(static_cast<uint64_t>(schedule.seed), "abuses");
    if (abuses.Chance(0.25)) {
      constexpr uint64_t kOthers =
          kSlowPeer | kCostlyBatches | kRowMemory | kLyingServer;
      schedule.abuses =
          1 + static_cast<int64_t>(abuses.Below(kAllAbuses & ~kOthers));
      SimRandom others(static_cast<uint64_t>(schedule.seed), "other abuses");
      if (others.Chance(0.5)) schedule.abuses |= kSlowPeer;
      if (others.Chance(0.5)) schedule.abuses |= kCostlyBatches;
      if (others.Chance(0.5)) schedule.abuses |= kLyingServer;
      if (others.Chance(0.5)) schedule.abuses |= kRowMemory;
      Normalize(schedule);
    }
    SimRandom types(static_cast<uint64_t>(schedule.seed), "link_types");
    if (types.Chance(0.4)) {
      schedule.link_types = 1;
      Normalize(schedule);
    }
    SimRandom cache(static_cast<uint64_t>(schedule.seed), "cache");
    if (cache.Chance(0.3)) {
      schedule.cache = 1 + static_cast<int64_t>(cache.Below(3));
      if (cache.Chance(0.3)) schedule.cache |= kSimDamagedRows;
    }
    SimRandom writers(static_cast<uint64_t>(schedule.seed), "frozen writers");
    if (writers.Chance(0.05)) FreezeWriters(writers, schedule);
    return schedule;
  }

 private:
  // Servers stand still while disks read into trainers' rooms, for so long that
  // their batches are asked of others; then they write.
  static void FreezeWriters(SimRandom& random, Schedule& schedule) {
    schedule.rooms = 1;
    schedule.ring = 24 << 10;
    schedule.disk_us = 50'000;
    schedule.disk_error_ppm = 0;
    const auto between = [&random](absl::Duration from, absl::Duration to) {
      return absl::Floor(random.Between(from, to), absl::Microseconds(1));
    };
    for (int64_t server = 0; server < schedule.servers; server += 2) {
      schedule.faults.push_back(
          {.kind = SimFault::Kind::kFreeze,
           .node = {true, static_cast<int>(server)},
           .at = between(absl::Milliseconds(2), absl::Milliseconds(60)),
           .lasts = between(absl::Milliseconds(2100), absl::Seconds(4))});
    }
    SortFaults(schedule);
  }

  template <size_t n>
  int64_t OneOf(const int64_t (&values)[n]) {
    return values[random_.Below(n)];
  }
  int64_t UpTo(int64_t most) {
    return static_cast<int64_t>(random_.Below(static_cast<uint64_t>(most))) + 1;
  }

  void World() {
    Schedule& s = schedule_;
    s.servers = UpTo(8);
    s.partitions = UpTo(random_.Chance(0.2) ? 8 : 4);
    s.owners = UpTo(std::min<int64_t>(3, s.servers));
    s.trainers = random_.Chance(0.25) ? UpTo(8) : UpTo(3);
    s.jobs = random_.Chance(0.3) ? UpTo(3) : 1;
    s.batches = OneOf({4, 10, 16, 16});
    s.replace = static_cast<int64_t>(random_.Below(2));
    s.expand_all = random_.Chance(0.2) ? 1 : 0;
    // Computed, not drawn, so that the other fields of a seed stay.
    s.kind = s.seed % 5 == 2 ? 1 + s.seed / 5 % (kSimKinds - 1) : kSimNeighbors;
    s.links = s.seed % 10 == 9 ? 1 + s.seed / 10 % 4 : 0;
    s.compact = s.seed / 3 % 2;
    s.rooms = random_.Chance(0.25) ? 1 : 0;
    s.stranger = random_.Chance(0.1) ? 1 : 0;
    s.prefetch = UpTo(6);
    s.held = UpTo(3);
    s.step_us = OneOf({100, 2000, 2000, 20'000});
    s.checkpoint = UpTo(4);
    s.drift_ppm = OneOf({0, 100, 10'000, 10'000, 100'000});
    s.frame = OneOf({500, 3000, 1 << 20});
    s.window = OneOf({1, 4000, 4 << 20});
    s.leaf_reply = OneOf({4 << 20, 4 << 20, 300});  // a little more than a row
  }

  // Shortages of room: each is just, or almost, enough for the largest batch.
  void Shortages() {
    Schedule& s = schedule_;
    if (random_.Chance(0.4)) {
      s.ring = OneOf({8 << 10, 12 << 10, 16 << 10, 24 << 10, 40 << 10});
    }
    if (random_.Chance(0.3)) {
      s.memory = OneOf({16 << 10, 24 << 10, 32 << 10, 64 << 10});
    }
    if (random_.Chance(0.2)) s.leaf_memory = OneOf({8 << 10, 32 << 10});
    if (random_.Chance(0.2)) s.queued = UpTo(3);
    if (random_.Chance(0.2)) s.running = UpTo(2);
    if (random_.Chance(0.2)) s.running_per_stream = UpTo(2);
    if (random_.Chance(0.4)) s.sessions = UpTo(2);
    if (random_.Chance(0.25)) s.timeout_ms = 40'000;
  }

  void Network() {
    Schedule& s = schedule_;
    s.latency_us = OneOf({100, 200, 200, 1000, 5000});
    s.detect_ms = OneOf({1, 20, 500, 2000});
    s.rough_ms = OneOf({20, 100, 1000});
    if (random_.Chance(0.3)) s.corrupt_ppm = OneOf({1000, 10'000, 30'000});
    if (random_.Chance(0.3)) s.cut_ppm = OneOf({1000, 10'000});
    if (random_.Chance(0.2)) s.stall_ppm = OneOf({1000, 10'000});
    if (random_.Chance(0.2)) s.refuse_ppm = OneOf({10'000, 200'000});
    if (random_.Chance(0.2)) s.slow_ppm = OneOf({50'000, 500'000});
    if (random_.Chance(0.2)) s.twice_ppm = OneOf({50'000, 500'000});
  }

  void Faults() {
    const int64_t faults = random_.Chance(0.2) ? 0 : UpTo(5);
    for (int64_t i = 0; i < faults; ++i) schedule_.faults.push_back(Fault());
    SortFaults(schedule_);
  }

  static void SortFaults(Schedule& schedule) {
    std::sort(schedule.faults.begin(), schedule.faults.end(),
              [](const SimFault& a, const SimFault& b) { return a.at < b.at; });
  }

  // One or two servers die repeatedly while their batches wait for the last
  // one. The deaths of one alone convict no batch.
  void DeadlyBatches() {
    const int dying = static_cast<int>(UpTo(2));
    schedule_.servers = schedule_.partitions = dying + 1;
    schedule_.owners = 1;
    schedule_.detect_ms = 1;
    const auto crash = [&](int server, absl::Duration at,
                           absl::Duration lasts) {
      schedule_.faults.push_back({.kind = SimFault::Kind::kCrash,
                                  .node = {true, server},
                                  .at = at,
                                  .lasts = lasts});
    };
    crash(dying, absl::Milliseconds(UpTo(5)), absl::Seconds(3));
    for (int server = 0; server < dying; ++server) {
      for (absl::Duration at = absl::Milliseconds(10); at < absl::Seconds(2);
           at += absl::Milliseconds(200 + UpTo(200))) {
        crash(server, at, absl::Milliseconds(UpTo(50)));
      }
    }
  }

  SimNodeName Server() {
    return {true, static_cast<int>(UpTo(schedule_.servers)) - 1};
  }
  SimNodeName Trainer() {
    return {false, static_cast<int>(UpTo(schedule_.trainers)) - 1};
  }
  SimNodeName Anyone() { return random_.Chance(0.3) ? Trainer() : Server(); }

  SimFault Fault() {
    using Kind = SimFault::Kind;
    constexpr Kind kOften[] = {
        Kind::kCrash,      Kind::kCrash,  Kind::kCrash,  Kind::kFreeze,
        Kind::kFreeze,     Kind::kFreeze, Kind::kPart,   Kind::kPartOneWay,
        Kind::kDrain,      Kind::kReset,  Kind::kStarve, Kind::kStarve,
        Kind::kStarveLeafs};
    SimFault fault;
    fault.kind = kOften[random_.Below(std::size(kOften))];
    fault.node = Anyone();
    switch (fault.kind) {
      case Kind::kPart:
      case Kind::kPartOneWay:
        fault.other = Server();
        break;
      case Kind::kDrain:
        fault.node = Server();
        break;
      case Kind::kStarve:
      case Kind::kStarveLeafs:
        fault.node = Server();
        fault.percent = static_cast<int>(OneOf({50, 90, 100}));
        break;
      default:
        break;
    }
    fault.at = Micros(absl::ZeroDuration(), absl::Milliseconds(60));
    fault.lasts = Micros(absl::Milliseconds(1), Longest());
    return fault;
  }

  absl::Duration Longest() {
    const double u = static_cast<double>(random_.Below(100));
    if (u < 40) return absl::Milliseconds(20);
    if (u < 90) return absl::Seconds(3);
    return absl::Seconds(20);
  }
  absl::Duration Micros(absl::Duration from, absl::Duration to) {
    return absl::Floor(random_.Between(from, to), absl::Microseconds(1));
  }

  SimRandom random_;
  Schedule schedule_;
};

}  // namespace

Schedule RandomSchedule(uint64_t seed) {
  Draw draw(seed);
  return draw.WithDraws(draw.Make());
}

}  // namespace tributary
