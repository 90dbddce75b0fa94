#include "tests/sim/sim_world.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sampler_server/rows/row_queue.h"
#include "tests/sim/timeline_checks.h"

namespace tributary {
namespace {

// Limits of servers that are abused, low enough for antagonists to reach.
constexpr size_t kAbusedControlBudget = size_t{64} << 10;
constexpr size_t kAbusedStreams = 64;
constexpr int kAbusedCores = 2;

}  // namespace

// Forwards streams and counts those that are for batches.
class SimWorld::StreamCounter final : public StreamAcceptor {
 public:
  explicit StreamCounter(StreamAcceptor* next) : next_(next) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    count_ += method == StreamMethod::kBatches ? 1 : 0;
    return next_->Accept(method, std::move(caller), std::move(stream), why);
  }
  int count() const { return count_; }

 private:
  StreamAcceptor* const next_;
  int count_ = 0;
};

void SimSeat::OnBatch(const BatchView& view) {
  ledger->OnBatch(number, NextIndex(), view, in->scheduler().now());
}

void SimSeat::OnRelease(const BatchView& view) {
  ledger->OnRelease(number, view);
}

void SimSeat::OnError(const absl::Status& why) {
  ledger->OnError(number, NextIndex(), why, in->excuses(),
                  in->scheduler().now());
}

void SimSeat::OnLeasesFillRing(size_t held) {
  ++in->coverage().leases_fill_ring;
  if (held > 0) return;
  in->verdict().Fail("leases fill the ring",
                     absl::StrCat("trainer ", number, " holds none"));
}

SimWorld::SimWorld(const Schedule& schedule,
                   std::vector<const std::vector<ExpectedBatch>*> expected)
    : schedule_(schedule),
      fleet_(static_cast<uint64_t>(schedule.seed)),
      start_(fleet_.world.now()),
      verdict_(&fleet_.world) {
  for (const auto* batches : expected) {
    ledgers_.emplace_back(batches, &verdict_, &coverage_);
  }
  std::vector<Address> servers;
  for (int s = 0; s < num_servers(); ++s) {
    servers.push_back(fleet_.Add(ServerOptions(s)).address);
  }
  if ((schedule_.abuses & kSlowPeer) != 0) {
    fleet_.network.SetPace(servers[0], StreamMethod::kLeaf, kSlowPeerPace);
  }
  antagonists_ = std::make_unique<Antagonists>(
      &fleet_, schedule_.abuses, std::move(servers), *server(0).graph,
      schedule_.certificates != 0);
  if (schedule_.stranger != 0) {
    const SimServer& server = fleet_.Add({.opened = StrangersGraph()});
    at_stranger_ = std::make_unique<StreamCounter>(server.service.get());
    fleet_.network.Listen(server.executor, server.address, at_stranger_.get());
  }
  fleet_.network.set_carries_rooms(schedule_.rooms != 0);
  fleet_.Introduce();
  const auto jobs = static_cast<int>(schedule_.jobs);
  const auto trainers = static_cast<int>(schedule_.trainers);
  for (int t = 0; t < trainers; ++t) {
    const int job = t % jobs;
    const int world = (trainers - job + jobs - 1) / jobs;
    seats_.push_back(std::make_unique<SimSeat>(
        t, job, static_cast<uint32_t>(t / jobs), static_cast<uint32_t>(world)));
    seats_.back()->ledger = &ledgers_[job];
    seats_.back()->in = this;
  }
}

SimWorld::~SimWorld() {
  fleet_.network.set_watch(nullptr);
  fleet_.world.set_each_step(nullptr);
  for (auto& seat : seats_) {
    if (seat->trainer != nullptr) fleet_.network.Crash(seat->trainer->node());
  }
}

double SimWorld::DriftOf(const std::string& name) const {
  SimRandom random(static_cast<uint64_t>(schedule_.seed), name + "/drift");
  const auto most = static_cast<double>(schedule_.drift_ppm) / 1e6;
  const double share = static_cast<double>(random.Below(2001)) / 1000 - 1;
  return 1 + most * share;
}

SimServerOptions SimWorld::ServerOptions(int number) {
  SimServerOptions server;
  server.opened =
      SimulatedGraph(schedule_, static_cast<uint32_t>(schedule_.partitions),
                     PartitionsOfServer(schedule_, number));
  server.memory_budget = static_cast<size_t>(schedule_.memory);
  server.leaf_budget = static_cast<size_t>(schedule_.leaf_memory);
  server.admission.running = static_cast<int>(schedule_.running);
  server.admission.running_per_stream =
      static_cast<int>(schedule_.running_per_stream);
  server.admission.queued = static_cast<size_t>(schedule_.queued);
  server.max_sessions = static_cast<size_t>(schedule_.sessions);
  server.frames.frame_bytes = static_cast<size_t>(schedule_.frame);
  server.frames.window_bytes = static_cast<size_t>(schedule_.window);
  server.max_leaf_reply_bytes = static_cast<size_t>(schedule_.leaf_reply);
  server.drift = DriftOf(absl::StrCat("server", number));
  if (schedule_.abuses != 0) {
    server.control_budget = kAbusedControlBudget;
    server.max_streams = kAbusedStreams;
  }
  if (number == 0) server.before = Lies();
  const int64_t cache = schedule_.cache & ~kSimDamagedRows;
  if (cache != kSimNoCache && (number > 0 || cache != kSimListMissing)) {
    server.hot_lists = {SimulatedHotList(
        schedule_, number == 0 && cache == kSimOtherList ? 1 : 0)};
  }
  if ((schedule_.abuses & kCostlyBatches) != 0) server.cores = kAbusedCores;
  server.rows = [this](SimExecutor* executor) { return MakeRows(executor); };
  return server;
}

// Returns what stands before a server that lies; nothing if none does. One that
// lies to all passes what it says to trainers through both.
std::function<std::unique_ptr<StreamAcceptor>(StreamAcceptor*)>
SimWorld::Lies() {
  const auto seed = static_cast<uint64_t>(schedule_.seed);
  const bool to_peers = (schedule_.abuses & kLyingPeer) != 0;
  if ((schedule_.abuses & kLyingServer) == 0) {
    if (!to_peers) return nullptr;
    return
        [seed](StreamAcceptor* honest) { return MakeLyingPeer(honest, seed); };
  }
  return [this, seed, to_peers](StreamAcceptor* honest) {
    if (!to_peers) return MakeLyingServer(honest, seed);
    liars_.push_back(MakeLyingPeer(honest, seed));
    return MakeLyingServer(liars_.back().get(), seed);
  };
}

std::shared_ptr<RowReader> SimWorld::MakeRows(SimExecutor* server) {
  disks_.push_back(std::make_unique<SimDisk>(&fleet_.world, server,
                                             &disk_faults_, &coverage_));
  return std::make_shared<RowQueue>(disks_.back().get(),
                                    RowQueueLimits{.pieces = 2});
}

// Lets a trainer hold rows that it gets while it runs.
void SimWorld::Hold(SimTrainerOptions& trainer) const {
  auto held = std::make_shared<HeldRowsOf>(SimulatedHeldRows(schedule_));
  auto random = std::make_shared<SimRandom>(trainer.seed, "held rows");
  const bool damaged = (schedule_.cache & kSimDamagedRows) != 0;
  const auto types = fleet_.servers[0]->graph->schema().node_types.size();
  trainer.held = held->rows();
  trainer.add_rows = [held, random, damaged, types] {
    for (size_t t = 0; t < types; ++t) {
      const bool damages = damaged && random->Chance(0.2);
      if (held->AddPiece(static_cast<int>(t), damages)) return true;
    }
    return false;
  };
}

// Half of the trainers have their batches traced.
void SimWorld::TraceBatches(SimTrainerOptions& trainer) {
  TimelineRules rules;
  rules.liars = (schedule_.abuses & (kLyingPeer | kLyingServer)) != 0;
  rules.job = trainer.core.job = trainer.client;
  trainer.core.trace_seed = trainer.seed;
  trainer.core.on_traced = [this, rules](const BatchTimeline& timeline) {
    const std::string wrong = WrongInTimeline(timeline, rules);
    if (!wrong.empty()) verdict_.Fail("wrong timeline", wrong);
  };
}

void SimWorld::Seat(SimSeat& seat) {
  SimTrainerOptions trainer;
  trainer.name = absl::StrCat("trainer", seat.number);
  trainer.session =
      SimulatedSession(schedule_, seat.job, seat.rank, seat.world);
  trainer.core.buffer_size = static_cast<uint64_t>(schedule_.ring);
  trainer.core.prefetch_size = static_cast<int>(schedule_.prefetch);
  trainer.core.rpc_timeout = absl::Milliseconds(schedule_.timeout_ms);
  trainer.core.jitter_seed =
      static_cast<uint64_t>(schedule_.seed * 64 + seat.number);
  trainer.core.compact = schedule_.compact != 0;
  trainer.client = absl::StrCat("job", seat.job);
  trainer.seed = static_cast<uint64_t>(schedule_.seed) + seat.lives++;
  trainer.drift = DriftOf(trainer.name);
  trainer.max_step = absl::Microseconds(schedule_.step_us);
  trainer.max_held = static_cast<uint64_t>(schedule_.held);
  trainer.checkpoint_every = static_cast<uint64_t>(schedule_.checkpoint);
  for (const auto& server : fleet_.servers) {
    trainer.servers.push_back(server->address);
  }
  if (schedule_.cache != 0) Hold(trainer);
  if ((schedule_.seed + seat.number) % 2 == 0) TraceBatches(trainer);
  seat.trainer = std::make_unique<SimTrainer>(&fleet_.world, &fleet_.network,
                                              std::move(trainer), &seat);
  if (schedule_.certificates == 0) return;
  fleet_.network.SetIdentity(seat.trainer->node(),
                             {Role::kTrainer, absl::StrCat("job", seat.job)});
}

void SimWorld::StartTrainers() {
  for (auto& seat : seats_) {
    Seat(*seat);
    Cursor cursor;
    cursor.order =
        SimulatedSession(schedule_, seat->job, seat->rank, seat->world)
            .order_identity();
    seat->trainer->Run(cursor);
  }
}

bool SimWorld::AllDone() const {
  return std::all_of(seats_.begin(), seats_.end(), [](const auto& seat) {
    return seat->trainer != nullptr && seat->trainer->done();
  });
}

bool SimWorld::alive(int number) {
  return !fleet_.world.crashed(server(number).executor->node());
}

int SimWorld::ServerOf(int node) const {
  for (int s = 0; s < num_servers(); ++s) {
    if (fleet_.servers[s]->executor->node() == node) return s;
  }
  return -1;
}

const SimSeat* SimWorld::SeatOf(int node) const {
  for (const auto& seat : seats_) {
    if (seat->trainer != nullptr && seat->trainer->node()->node() == node) {
      return seat.get();
    }
  }
  return nullptr;
}

bool SimWorld::IsLiar(int node) const {
  return (schedule_.abuses & kLyingPeer) != 0 && ServerOf(node) == 0;
}

bool SimWorld::LiesToTrainers(int node) const {
  return (schedule_.abuses & kLyingServer) != 0 && ServerOf(node) == 0;
}

bool SimWorld::awake(int node) const {
  return !fleet_.world.crashed(node) && !fleet_.world.frozen(node);
}

absl::Time SimWorld::awake_since(int node) const {
  const auto it = awake_since_.find(node);
  return it == awake_since_.end() ? absl::InfinitePast() : it->second;
}

bool SimWorld::CrashServer(int number) {
  if (!alive(number)) return false;
  fleet_.Crash(server(number));
  CountDeath();
  lost_.insert(number);
  return true;
}

void SimWorld::RestartServer(int number) {
  if (alive(number)) return;
  lost_.insert(number);
  fleet_.Restart(server(number));
}

bool SimWorld::CrashTrainer(int number) {
  SimSeat& seat = *seats_[number];
  if (seat.trainer == nullptr || seat.trainer->done()) return false;
  Collect(*seat.trainer);
  const uint64_t committed = seat.trainer->committed();
  for (uint64_t n = committed; n < seat.trainer->delivered(); ++n) {
    seat.ledger->TakeBack(number, seat.rank + (seat.base + n) * seat.world);
  }
  seat.base += committed;
  seat.resume_from = seat.trainer->cursor();
  fleet_.network.Crash(seat.trainer->node());
  // Later: this may be inside one of its calls.
  scheduler().Schedule(
      -1, scheduler().now(),
      [dead = std::shared_ptr<SimTrainer>(std::move(seat.trainer))] {});
  return true;
}

void SimWorld::RestartTrainer(int number) {
  SimSeat& seat = *seats_[number];
  if (seat.trainer != nullptr) return;
  Seat(seat);
  seat.trainer->Run(seat.resume_from);
}

SimExcuses SimWorld::excuses() const {
  SimExcuses excuses;
  excuses.ring_bytes = (static_cast<uint64_t>(schedule_.ring) + 4095) & ~4095u;
  excuses.credit_bytes = static_cast<uint64_t>(schedule_.memory) / 2;
  excuses.deaths = deaths_;
  excuses.several_died = schedule_.servers == 1 || lost_.size() > 1;
  excuses.lies = (schedule_.abuses & kLyingServer) != 0;
  return excuses;
}

void SimWorld::Collect(const SimTrainer& trainer) {
  const LoaderStats& stats = trainer.stats();
  coverage_.reassigned += stats.reassigned;
  coverage_.hedged += stats.hedged;
  coverage_.needs += stats.needs;
  coverage_.evicted += stats.evicted;
  coverage_.doubles += stats.doubles;
  coverage_.left_out += stats.left_out;
  coverage_.compact += stats.compact;
}

int SimWorld::strangers_streams() const {
  return at_stranger_ == nullptr ? 0 : at_stranger_->count();
}

}  // namespace tributary
