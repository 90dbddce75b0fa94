#include "tests/sim/simulate.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/sim/faults.h"
#include "tests/sim/protocol_watch.h"
#include "tests/sim/sim_world.h"
#include "tests/sim/step_checks.h"

namespace tributary {
namespace {

// Within this everything ends by itself once no process requests anything.
constexpr absl::Duration kWindDown = absl::Seconds(30);

class Run {
 public:
  Run(const Schedule& schedule,
      std::vector<const std::vector<ExpectedBatch>*> expected,
      const SimulateOptions& options)
      : options_(options),
        world_(schedule, std::move(expected)),
        watch_(&world_),
        faults_(&world_),
        checks_(&world_) {
    world_.fleet().network.set_watch(&watch_);
    world_.scheduler().set_each_step([this] { OnStep(); });
  }

  SimWorld& world() { return world_; }

  SimResult Epoch() {
    faults_.ScheduleAll();
    Patrol();
    world_.antagonists().Start();
    world_.StartTrainers();
    Await([this] { return world_.AllDone(); },
          world_.schedule().CalmAfter() + kSimPatience,
          "the epoch does not end");
    const absl::Duration took = world_.scheduler().now() - world_.start();
    for (int job = 0; job < world_.schedule().jobs; ++job) {
      if (!failed()) world_.ledger(job).CheckComplete();
    }
    LetFaultsPass();
    for (auto& seat : world_.seats()) {
      if (seat->trainer != nullptr) world_.Collect(*seat->trainer);
    }
    CheckCalm(took);
    world_.antagonists().Stop();
    CloseTrainers();
    CheckServersIdle();
    StopServers();
    return Result(took);
  }

 private:
  bool failed() { return world_.verdict().failed(); }

  void OnStep() {
    checks_.OnStep();
    if (options_.also && !options_.also(world_)) {
      world_.verdict().Fail("also", "the test's own invariant");
    }
  }

  void Patrol() {
    watch_.Patrol();
    if (over_) return;
    world_.scheduler().Schedule(
        -1, world_.scheduler().now() + ProtocolWatch::kPatrol,
        [this] { Patrol(); });
  }

  // Steps until `done`; a failure if that does not happen.
  void Await(const std::function<bool()>& done, absl::Duration limit,
             const char* what) {
    if (failed()) return;
    const bool came =
        world_.scheduler().RunUntil([&] { return failed() || done(); }, limit);
    if (!came) world_.verdict().Fail(what, Outstanding());
  }

  std::string Outstanding() {
    std::string text;
    for (const auto& seat : world_.seats()) {
      if (seat->trainer == nullptr || seat->trainer->done()) continue;
      absl::StrAppend(
          &text, "trainer ", seat->number, " waits for batch ",
          seat->rank + (seat->base + seat->trainer->delivered()) * seat->world,
          "; ");
    }
    for (int s = 0; s < world_.num_servers(); ++s) {
      if (!world_.alive(s)) continue;
      const SamplerService& service = *world_.server(s).service;
      absl::StrAppend(&text, "server ", s, ": ", service.active(), " batches, ",
                      service.queued(), " queued, ", service.budget().used(),
                      " + ", service.leaf_budget().used(), " bytes; ");
    }
    return absl::StrCat(text, watch_.OpenBatchLinks(),
                        world_.fleet().network.open_links(), " streams");
  }

  // Without faults nothing is requested or made twice.
  void CheckCalm(absl::Duration took) {
    if (failed() || !world_.schedule().IsCalm()) return;
    SimCoverage& coverage = world_.coverage();
    ++coverage.calm_runs;
    if (coverage.reassigned + coverage.doubles + coverage.reconnects > 0 ||
        took > absl::Seconds(2)) {
      world_.verdict().Fail(
          "trouble without a fault",
          absl::StrCat(coverage.reassigned, " asked for again, ",
                       coverage.doubles, " came twice, ", coverage.reconnects,
                       " reconnects, took ", absl::FormatDuration(took)));
    }
  }

  void LetFaultsPass() {
    if (failed()) return;
    const absl::Time calm = world_.start() + world_.schedule().CalmAfter();
    bool passed = false;
    world_.scheduler().Schedule(-1, calm + absl::Microseconds(1),
                                [&passed] { passed = true; });
    world_.scheduler().RunUntil([&] { return failed() || passed; },
                                absl::Hours(1));
  }

  void CloseTrainers() {
    if (failed()) return;
    for (auto& seat : world_.seats()) seat->trainer->Close();
    const auto closed = [](const auto& seat) {
      return seat->trainer->closed() &&
             seat->trainer->ring().stats().used_bytes == 0;
    };
    Await(
        [&] {
          return std::all_of(world_.seats().begin(), world_.seats().end(),
                             closed);
        },
        kWindDown, "a trainer does not get its slots back");
  }

  bool IsIdle(int number) {
    if (!world_.alive(number)) return false;
    const SamplerService& service = *world_.server(number).service;
    return service.budget().used() == 0 && service.leaf_budget().used() == 0 &&
           service.active() == 0 && service.queued() == 0;
  }

  void CheckServersIdle() {
    Await(
        [this] {
          for (int s = 0; s < world_.num_servers(); ++s) {
            if (!IsIdle(s)) return false;
          }
          return watch_.open_batch_links() == 0;
        },
        kWindDown, "a server holds on to something");
    if (!failed() && world_.strangers_streams() > 0) {
      world_.verdict().Fail("asked a server with another graph", "");
    }
  }

  // Afterwards no process has anything left to do.
  void StopServers() {
    if (failed()) return;
    over_ = true;
    size_t stopped = 0;
    for (auto& server : world_.fleet().servers) {
      server->directory->Stop([&stopped] { ++stopped; });
    }
    const bool drained = world_.scheduler().Drain(100'000);
    if (!drained || stopped != world_.fleet().servers.size() ||
        world_.fleet().network.open_links() > 0) {
      world_.verdict().Fail(
          "something goes on after the end",
          absl::StrCat(drained ? "no" : "some", " events, ", stopped, " of ",
                       world_.fleet().servers.size(), " servers stopped; ",
                       Outstanding()));
    }
  }

  SimResult Result(absl::Duration took) {
    SimCoverage& coverage = world_.coverage();
    const SimNetworkCounts& network = world_.fleet().network.counts();
    coverage.runs = 1;
    coverage.events = world_.scheduler().events_run();
    coverage.corrupted = network.corrupted;
    coverage.cuts = network.cut;
    coverage.stalls = network.stalled;
    coverage.refused_connects = network.refused;
    coverage.slow_connects = network.slow;
    coverage.double_connects = network.twice;
    coverage.held_back = network.held_back;
    coverage.abuses = world_.antagonists().messages_sent();
    coverage.abusers_closed = world_.antagonists().streams_closed();
    SimResult result;
    result.failure = world_.verdict().failure();
    result.coverage = coverage;
    result.history = checks_.history();
    result.after_calm =
        std::max(absl::ZeroDuration(), took - world_.schedule().CalmAfter());
    return result;
  }

  const SimulateOptions& options_;
  SimWorld world_;
  ProtocolWatch watch_;
  FaultInjector faults_;
  StepChecks checks_;
  bool over_ = false;
};

// Keeps the batches that a single server with the whole graph makes without
// faults.
class Recorder final : public SimUser {
 public:
  void OnBatch(const BatchView& view) override {
    const uint64_t before = bytes_;
    bytes_ = trainer->stats().bytes;
    batches.push_back(ExpectedBatch::From(view, bytes_ - before));
  }
  void OnRelease(const BatchView&) override {}
  void OnError(const absl::Status& why) override { errors += why.ToString(); }
  void OnLeasesFillRing(size_t) override { errors += "leases fill the ring"; }

  SimTrainer* trainer = nullptr;
  std::vector<ExpectedBatch> batches;
  std::string errors;

 private:
  uint64_t bytes_ = 0;
};

const std::vector<ExpectedBatch>& Expected(const Schedule& schedule,
                                           int64_t job) {
  using Key =
      std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                 int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t>;
  static auto& known = *new std::map<Key, std::vector<ExpectedBatch>>;
  auto& batches = known[{schedule.replace, schedule.expand_all, schedule.kind,
                         schedule.links, schedule.link_types, schedule.draws,
                         schedule.predicates, schedule.subgraph,
                         schedule.edge_dir, schedule.features, schedule.scaled,
                         schedule.omit_edge_ids, schedule.batches, job}];
  if (!batches.empty()) return batches;
  Schedule plain;
  plain.replace = schedule.replace;
  plain.expand_all = schedule.expand_all;
  plain.kind = schedule.kind;
  plain.links = schedule.links;
  plain.link_types = schedule.link_types;
  plain.draws = schedule.draws;
  plain.predicates = schedule.predicates;
  plain.subgraph = schedule.subgraph;
  plain.edge_dir = schedule.edge_dir;
  plain.features = schedule.features;
  plain.scaled = schedule.scaled;
  plain.omit_edge_ids = schedule.omit_edge_ids;
  plain.batches = schedule.batches;
  SimFleet fleet(1);
  fleet.Add({.opened = SimulatedGraph(plain, 1, {})});
  SimTrainerOptions options;
  options.name = "recorder";
  options.session = SimulatedSession(plain, job, 0, 1);
  options.servers = {fleet.servers[0]->address};
  Recorder recorder;
  SimTrainer trainer(&fleet.world, &fleet.network, options, &recorder);
  recorder.trainer = &trainer;
  Cursor cursor;
  cursor.order = options.session.order_identity();
  trainer.Run(cursor);
  fleet.world.RunUntil([&] { return trainer.done(); }, absl::Minutes(1));
  fleet.network.Crash(trainer.node());
  batches = std::move(recorder.batches);
  return batches;
}

}  // namespace

SimResult Simulate(const Schedule& schedule, const SimulateOptions& options) {
  Schedule normal = schedule;
  Normalize(normal);
  std::vector<const std::vector<ExpectedBatch>*> expected;
  for (int64_t job = 0; job < normal.jobs; ++job) {
    expected.push_back(&Expected(normal, job));
  }
  return Run(normal, std::move(expected), options).Epoch();
}

}  // namespace tributary
