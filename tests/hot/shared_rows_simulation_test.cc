// Processes of one machine that share held rows, whose size is automatic, under
// seeded faults in virtual time: they start, are killed, resign and stand still
// while rows are fetched. All but the sockets is what trainers run.
//   TRIBUTARY_SHARED_ROWS_SEEDS is the number of seeds.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "channel/shm/shared_memory.h"
#include "common/observe/log.h"
#include "gtest/gtest.h"
#include "partition/format/testing/hot_list_of.h"
#include "sampler_server/testing/sim_fleet.h"
#include "tests/hot/held_rows_of.h"
#include "tests/hot/hot_graph.h"
#include "trainer_client/core/cache/rows_meeting.h"
#include "trainer_client/core/cache/testing/node_batch.h"
#include "trainer_client/core/cache/trainer_cache.h"
#include "trainer_client/core/testing/accept_all.h"

namespace tributary {
namespace {

constexpr uint64_t kRowBytes = 6 * 4 + 8, kRecord = kRowBytes + 16;
constexpr uint64_t kPieceBytes = 20 * kRecord;
// The size of a fetch after the list's only block: a piece.
constexpr uint64_t kBlockBytes = kHotGraphNodes * 12;
constexpr uint64_t kAtOnce = 20 * (kRowBytes + 8);

class SimMeeting;

// The machine: who has which name.
struct SimMachine {
  SimRandom random{1};
  std::map<std::string, SimMeeting*> holders;
};

// Unix sockets of one process, of which events come late and in any order.
class SimMeeting final : public RowsMeeting {
 public:
  SimMeeting(SimMachine* machine, std::string name, SimExecutor* node)
      : machine_(machine),
        name_(std::move(name)),
        strand_(std::make_shared<Strand>(node)) {}
  ~SimMeeting() override {
    *alive_ = false;
    Unbind();
    while (!ends_.empty()) Close(ends_.begin()->first);
  }

  absl::Status Bind() override {
    if (!machine_->holders.try_emplace(name_, this).second) {
      return absl::AlreadyExistsError("it is taken");
    }
    return absl::OkStatus();
  }
  void Unbind() override {
    const auto found = machine_->holders.find(name_);
    if (found == machine_->holders.end() || found->second != this) return;
    machine_->holders.erase(found);
  }
  absl::StatusOr<Peer> Connect() override {
    const auto found = machine_->holders.find(name_);
    if (found == machine_->holders.end()) {
      return absl::UnavailableError("nobody has the name");
    }
    SimMeeting* const other = found->second;
    const Peer here = next_++, there = other->next_++;
    ends_[here].other = other, ends_[here].peer = there;
    other->ends_[there].other = this, other->ends_[there].peer = here;
    other->Later([other, there] {
      if (other->ends_.contains(there)) other->events()->OnPeer(there);
    });
    return here;
  }
  bool Watch(Peer peer) override {
    ends_.at(peer).watched = true;
    WakeReader(peer);
    return true;
  }
  void Unwatch(Peer peer) override { ends_.at(peer).watched = false; }
  void WantWritable(Peer peer, bool wanted) override {
    ends_.at(peer).wants_writable = wanted;
    if (wanted) WakeWriter(peer);
  }
  void Close(Peer peer) override {
    const auto found = ends_.find(peer);
    if (found == ends_.end()) return;
    const End end = std::move(found->second);
    ends_.erase(found);
    if (end.other == nullptr) return;
    End& far = end.other->ends_.at(end.peer);
    far.other = nullptr;
    end.other->WakeReader(end.peer);
  }
  Sent Send(Peer peer, const RowsMessage& message,
            const FrozenMemory* memory) override {
    constexpr size_t kMostQueued = 2;
    End& end = ends_.at(peer);
    if (end.other == nullptr) return Sent::kBroken;
    End& far = end.other->ends_.at(end.peer);
    if (far.queue.size() >= kMostQueued) return Sent::kFull;
    Received& sent = far.queue.emplace_back();
    sent.state = Received::State::kMessage;
    sent.message = message;
    if (memory != nullptr) sent.memory = CheckFrozen(*memory);
    end.other->WakeReader(end.peer);
    return Sent::kWhole;
  }
  Received Receive(Peer peer) override {
    End& end = ends_.at(peer);
    if (end.queue.empty()) {
      Received nothing;
      if (end.other == nullptr) nothing.state = Received::State::kClosed;
      return nothing;
    }
    Received received = std::move(end.queue.front());
    end.queue.pop_front();
    if (end.other != nullptr) end.other->WakeWriter(end.peer);
    return received;
  }
  void Post(std::function<void()> task) override {
    strand_->Post([alive = alive_, task = std::move(task)] {
      if (*alive) task();
    });
  }
  void PostAfter(absl::Duration delay, std::function<void()> task) override {
    strand_->PostAfter(delay, [alive = alive_, task = std::move(task)] {
      if (*alive) task();
    });
  }

 private:
  struct End {
    SimMeeting* other = nullptr;  // null: it has closed
    Peer peer = 0;                // there
    std::deque<Received> queue;   // that came
    bool watched = false, wants_writable = false;
  };

  // The system maps what is sealed, and nothing else.
  static absl::StatusOr<FrozenMemory> CheckFrozen(const FrozenMemory& memory) {
    auto mapped =
        SharedMemory::MapFrozen(UniqueFd(dup(memory.fd)), size_t{1} << 30);
    if (!mapped.ok()) return mapped.status();
    return FrozenMemory{(*mapped)->bytes(), *mapped, (*mapped)->fd()};
  }

  void Later(std::function<void()> task) {
    PostAfter(
        machine_->random.Between(absl::ZeroDuration(), absl::Milliseconds(5)),
        std::move(task));
  }
  void WakeReader(Peer peer) {
    Later([this, peer] {
      const auto found = ends_.find(peer);
      if (found == ends_.end() || !found->second.watched) return;
      if (found->second.queue.empty() && found->second.other != nullptr) return;
      events()->OnReadable(peer);
      const auto again = ends_.find(peer);
      if (again != ends_.end() && again->second.watched) WakeReader(peer);
    });
  }
  void WakeWriter(Peer peer) {
    Later([this, peer] {
      const auto found = ends_.find(peer);
      if (found == ends_.end() || !found->second.wants_writable) return;
      events()->OnWritable(peer);
    });
  }

  SimMachine* const machine_;
  const std::string name_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<Peer, End> ends_;
  Peer next_ = 1;
};

// What a run draws from its seed.
struct SharedSchedule {
  explicit SharedSchedule(uint64_t seed) : random(seed, "schedule") {
    hot_rows = random.Chance(0.5) ? 50 : 200;
    memory_rows = hot_rows / 2 + 20 + random.Below(2 * kHotGraphNodes);
    hot = random.Chance(0.2) ? 0.05 : 0.9;
    processes = 1 + static_cast<int>(random.Below(4));
    loaders = 1 + static_cast<int>(random.Below(2));
    faults = random.Chance(0.2) ? 0 : 1 + static_cast<int>(random.Below(12));
    bytes_before = random.Below(3) * 5'000;
  }
  SimRandom random;
  uint64_t memory_rows = 0;  // that there is room for
  uint64_t hot_rows = 0;     // that batches have most
  double hot = 0;            // the share of a batch's nodes that are hot
  int processes = 0, loaders = 0, faults = 0;
  uint64_t bytes_before = 0;
};

class World;

// One process with its loaders, whose batches it makes up.
class SimProcess {
 public:
  SimProcess(World* world, int number);
  ~SimProcess();
  void Check();
  // Whether it holds all that it wants.
  bool Settled() const;
  uint64_t fetched_bytes() const {
    uint64_t sum = 0;
    for (const auto& loader : loaders_) sum += loader->cache->fetched_bytes();
    return sum;
  }
  bool has_name() const {
    for (const auto& [identity, weak] : rows_) {
      const auto rows = weak.lock();
      if (rows != nullptr && rows->machine()->HasName()) return true;
    }
    return false;
  }
  std::shared_ptr<HeldRows> held() const {
    for (const auto& loader : loaders_) {
      if (loader->held != nullptr) return loader->held;
    }
    return nullptr;
  }
  SimExecutor* node() const { return node_; }
  void StopLoader(size_t i) {
    strand_->Post(
        [cache = loaders_[i % loaders_.size()]->cache] { cache->Stop(); });
    loaders_[i % loaders_.size()]->stopped = true;
  }
  void Damage(SimRandom& random);

 private:
  struct Loader {
    std::shared_ptr<TrainerCache> cache;
    std::function<void(const BatchView&, uint64_t)> observer;
    std::shared_ptr<HeldRows> held;
    uint64_t wire_bytes = 0;
    bool stopped = false;
  };

  void StartLoader();
  void Deliver(Loader* loader);

  World* const world_;
  SimExecutor* const node_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<AcceptAll> events_ = std::make_shared<AcceptAll>();
  std::shared_ptr<ServerFleet> servers_;
  std::map<std::string, std::weak_ptr<ProcessRows>> rows_;
  std::vector<std::unique_ptr<Loader>> loaders_;
  std::shared_ptr<const HeldView> checked_;
};

// What the runs have had, of processes.
struct Coverage {
  int holding = 0, without = 0, followers = 0, kills = 0, heirs = 0;
};

class World {
 public:
  World(uint64_t seed, Coverage* coverage)
      : schedule_(seed), coverage_(coverage), fleet_(seed) {
    machine_.random = SimRandom(seed, "machine");
    SimServerOptions server;
    server.opened = graph_;
    server.hot_lists = {list_};
    fleet_.Add(server);
    fleet_.Settle();
    expected_.Add(1.0);
  }

  ~World() {
    fleet_.world.set_each_step(nullptr);
    processes_.clear();
  }

  void Run() {
    for (int i = 0; i < schedule_.processes; ++i) Start();
    fleet_.world.set_each_step([this] { Check(); });
    for (int fault = 0; fault < schedule_.faults; ++fault) {
      Pass(schedule_.random.Between(absl::ZeroDuration(), absl::Seconds(4)));
      Fault();
    }
    for (auto& process : processes_) {
      fleet_.world.Thaw(process->node()->node());
    }
    ASSERT_TRUE(fleet_.world.RunUntil(
        [this] {
          return testing::Test::HasFailure() ||
                 std::all_of(processes_.begin(), processes_.end(),
                             [](auto& process) { return process->Settled(); });
        },
        absl::Minutes(10)))
        << "a process does not get its rows";
    CheckEnd();
  }

  SharedSchedule& schedule() { return schedule_; }
  SimFleet& fleet() { return fleet_; }
  SimMachine& machine() { return machine_; }
  const HotList& list() const { return *list_; }
  const Graph& graph() const { return *graph_; }
  const HeldView& expected() { return *expected_.rows()->view(); }

 private:
  void Start() {
    processes_.push_back(std::make_unique<SimProcess>(this, started_++));
  }
  void Pass(absl::Duration time) {
    bool over = false;
    fleet_.world.Schedule(-1, fleet_.world.now() + time, [&] { over = true; });
    fleet_.world.RunUntil([&] { return over; }, 2 * time + absl::Seconds(1));
  }
  void Fault() {
    SimRandom& random = schedule_.random;
    if (processes_.empty()) return Start();
    const size_t at = random.Below(processes_.size());
    SimProcess& process = *processes_[at];
    switch (random.Below(6)) {
      case 0:
      case 1:  // killed
        fleet_.world.Crash(process.node()->node());
        ++coverage_->kills;
        if (process.has_name()) had_leader_ = true;
        processes_.erase(processes_.begin() + static_cast<ptrdiff_t>(at));
        ++kills_;
        return;
      case 2:
        return Start();
      case 3:
        ++kills_;
        return process.StopLoader(random.Below(2));
      case 4:
        ++kills_;
        return fleet_.world.frozen(process.node()->node())
                   ? fleet_.world.Thaw(process.node()->node())
                   : fleet_.world.Freeze(process.node()->node());
      default:
        ++kills_;
        return process.Damage(random);
    }
  }
  void Check() {
    int leaders = 0;
    for (const auto& process : processes_) {
      process->Check();
      if (!process->has_name()) continue;
      ++leaders;
      if (had_leader_) ++coverage_->heirs, had_leader_ = false;
    }
    EXPECT_LE(leaders, 1) << "several processes fetch for the machine";
  }
  void CheckEnd() {
    std::set<uint32_t> sizes;
    int fetching = 0, holding = 0;
    for (const auto& process : processes_) {
      if (process->fetched_bytes() > 0) ++fetching;
      if (const auto held = process->held()) {
        ++holding;
        sizes.insert(held->view()->types[0].num_rows);
        if (process->fetched_bytes() == 0) ++coverage_->followers;
      }
    }
    coverage_->holding += holding;
    coverage_->without += static_cast<int>(processes_.size()) - holding;
    // Most of a batch is hot rows, or hardly any: then none is held.
    if (schedule_.hot < 0.1) {
      EXPECT_EQ(holding, 0);
      return;
    }
    if (kills_ > 0) return;
    EXPECT_EQ(holding, static_cast<int>(processes_.size()));
    EXPECT_LE(sizes.size(), 1u) << "one size for the machine";
    EXPECT_LE(fetching, 1) << "the machine fetches once";
  }

  SharedSchedule schedule_;
  Coverage* const coverage_;
  SimMachine machine_;  // outlives the tasks of killed processes
  SimFleet fleet_;
  const std::shared_ptr<const Graph> graph_ = BuildGraph(HotGraph());
  const std::shared_ptr<const HotList> list_ = HotListOf(*graph_, 4);
  HeldRowsOf expected_{graph_, list_, FeatureDType::kStored, 20};
  std::vector<std::unique_ptr<SimProcess>> processes_;
  int started_ = 0;
  bool had_leader_ = false;  // that was killed, and nobody leads since
  int kills_ = 0;  // faults after which more than one process may fetch
};

SimProcess::SimProcess(World* world, int number)
    : world_(world),
      node_(world->fleet().world.AddNode(absl::StrCat("trainer", number))),
      strand_(std::make_shared<Strand>(node_)) {
  ServerFleetOptions options;
  for (const auto& server : world->fleet().servers) {
    options.source.addresses.push_back(server->address);
  }
  options.link.transport = world->fleet().network.TransportOf(node_);
  options.link.strand = strand_;
  options.link.client_name = "test";
  options.link.call_timeout = absl::Seconds(1);
  servers_ = std::make_shared<ServerFleet>(options);
  strand_->Post([servers = servers_, events = events_] {
    servers->SetEvents(events);
    servers->Start();
  });
  for (int i = 0; i < world->schedule().loaders; ++i) StartLoader();
}

SimProcess::~SimProcess() {
  if (!world_->fleet().world.crashed(node_->node())) {
    bool closed = false;
    world_->fleet().world.Thaw(node_->node());
    strand_->Post([&] {
      for (auto& loader : loaders_) loader->cache->Stop();
      servers_->Close([&] { closed = true; });
    });
    EXPECT_TRUE(world_->fleet().world.RunUntil([&] { return closed; },
                                               absl::Minutes(2)));
    world_->fleet().world.Crash(node_->node());
  }
}

void SimProcess::StartLoader() {
  Loader* const loader =
      loaders_.emplace_back(std::make_unique<Loader>()).get();
  TrainerCacheOptions options;
  options.size = *TrainerCacheSize::Parse("auto");
  options.strand = strand_;
  options.fleet = servers_;
  options.transport = world_->fleet().network.TransportOf(node_);
  options.schema = world_->graph().schema();
  options.memory = world_->schedule().memory_rows * kRecord;
  options.batches = 10'000;
  options.bytes_before = world_->schedule().bytes_before;
  options.piece_bytes = kPieceBytes;
  options.wire_bytes = [loader] { return loader->wire_bytes; };
  options.process_rows = [this](const std::string& identity)
      -> absl::StatusOr<std::shared_ptr<ProcessRows>> {
    if (auto rows = rows_[identity].lock()) return rows;
    auto rows = std::make_shared<ProcessRows>(std::make_unique<MachineRows>(
        std::make_unique<SimMeeting>(&world_->machine(), identity, node_)));
    rows_[identity] = rows;
    return rows;
  };
  options.hold = [loader](std::shared_ptr<HeldRows> rows) {
    loader->held = std::move(rows);
  };
  options.observe =
      [loader](std::function<void(const BatchView&, uint64_t)> by) {
        loader->observer = std::move(by);
      };
  loader->cache = std::make_shared<TrainerCache>(std::move(options));
  strand_->Post([cache = loader->cache] { cache->Start(); });
  strand_->Post([this, loader] { Deliver(loader); });
}

// A batch of some nodes, of which those that are held were not sent.
void SimProcess::Deliver(Loader* loader) {
  SimRandom& random = world_->schedule().random;
  if (!servers_->Up().empty() && !loader->stopped) {
    const auto order = world_->list().nodes(0)->order;
    const uint32_t held =
        loader->held == nullptr ? 0 : loader->held->view()->types[0].num_rows;
    std::vector<int64_t> ids;
    uint64_t wire = 100;
    for (int i = 0; i < 12; ++i) {
      // The first ranks are hot; others are of no list.
      const bool hot = random.Chance(world_->schedule().hot);
      const uint64_t rank = random.Below(world_->schedule().hot_rows);
      ids.push_back(hot ? order[rank] : kHotGraphNodes + i);
      wire += 8 + (hot && rank < held ? 0 : kRowBytes);
    }
    loader->wire_bytes += wire;
    const NodeBatch batch(ids, kRowBytes);
    if (const auto observer = loader->observer) observer(batch.view(), wire);
  }
  strand_->PostAfter(
      random.Between(absl::Milliseconds(1), absl::Milliseconds(40)),
      [this, loader] { Deliver(loader); });
}

void SimProcess::Check() {
  for (const auto& loader : loaders_) {
    EXPECT_LE(loader->cache->fetched_bytes(),
              std::max(kBlockBytes, loader->wire_bytes / 2 + kAtOnce))
        << "fetches more than half of what its batches had";
  }
  const auto held = this->held();
  if (held == nullptr || held->view() == checked_) return;
  checked_ = held->view();
  const HeldType& type = checked_->types[0];
  EXPECT_LE(type.num_rows, world_->schedule().memory_rows)
      << "holds more rows than there is memory for";
  ASSERT_EQ(type.pieces.size(),
            (type.num_rows + type.rows_per_piece - 1) / type.rows_per_piece)
      << "names rows that are not there";
  const HeldType& expected = world_->expected().types[0];
  for (uint32_t rank = 0; rank < type.num_rows; ++rank) {
    const HeldRecord record = type.Record(rank), right = expected.Record(rank);
    ASSERT_EQ(record.id(), right.id()) << "at rank " << rank;
    ASSERT_EQ(record.content(), right.content()) << "at rank " << rank;
  }
}

bool SimProcess::Settled() const {
  bool runs = false, complete = false;
  uint64_t wire_bytes = 0;
  for (const auto& loader : loaders_) {
    runs |= !loader->stopped;
    complete |= loader->cache->complete();
    wire_bytes = std::max(wire_bytes, loader->wire_bytes);
  }
  // Else it decided against rows, or the machine's are not shared with it.
  return !runs || (held() == nullptr ? wire_bytes > 400'000 : complete);
}

void SimProcess::Damage(SimRandom& random) {
  const auto held = this->held();
  if (held != nullptr) held->Drop(0, random.Below(kHotGraphNodes));
}

TEST(SharedRowsSimulation, OneCopyOfTheRowsThatPay) {
  SetLogLevel(LogLevel::kOff);
  uint64_t seeds = 200;
  if (const char* text = std::getenv("TRIBUTARY_SHARED_ROWS_SEEDS")) {
    ASSERT_TRUE(absl::SimpleAtoi(text, &seeds));
  }
  Coverage coverage;
  for (uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    World(seed, &coverage).Run();
  }
  std::printf(
      "%d runs: %d processes held rows, %d none; %d got them from "
      "another one; %d kills, %d heirs\n",
      static_cast<int>(seeds), coverage.holding, coverage.without,
      coverage.followers, coverage.kills, coverage.heirs);
  if (seeds < 100) return;
  EXPECT_GT(coverage.holding, 0);
  EXPECT_GT(coverage.without, 0);
  EXPECT_GT(coverage.followers, 0);
  EXPECT_GT(coverage.kills, 0);
  EXPECT_GT(coverage.heirs, 0);
}

}  // namespace
}  // namespace tributary
