#include "tests/sim/faults.h"

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

double Rate(int64_t ppm) { return static_cast<double>(ppm) / 1e6; }

// Returns how long an outage lasts before a loader may take it for a death.
absl::Duration LooksDeadAfter(const Schedule& schedule) {
  return absl::Milliseconds(schedule.timeout_ms) / 5;
}

}  // namespace

void FaultInjector::After(absl::Duration delay, Task task) {
  SimScheduler& scheduler = world_->scheduler();
  scheduler.Schedule(-1, scheduler.now() + delay, std::move(task));
}

void FaultInjector::ScheduleAll() {
  const Schedule& s = world_->schedule();
  SimNetworkFaults& network = world_->fleet().network.faults();
  network.min_latency = absl::Microseconds(20);
  network.max_latency = absl::Microseconds(s.latency_us);
  network.max_crash_detection = absl::Milliseconds(s.detect_ms);
  network.corrupt = Rate(s.corrupt_ppm);
  network.cut = Rate(s.cut_ppm);
  network.stall = Rate(s.stall_ppm);
  network.refuse_connect = Rate(s.refuse_ppm);
  network.slow_connect = Rate(s.slow_ppm);
  network.connect_twice = Rate(s.twice_ppm);
  world_->disks() = {absl::Microseconds(s.disk_us), Rate(s.disk_error_ppm)};
  After(absl::Milliseconds(s.rough_ms), [this] { EndRates(); });
  for (const SimFault& fault : s.faults) {
    After(fault.at, [this, fault] { Begin(fault); });
  }
}

void FaultInjector::EndRates() {
  SimNetworkFaults& network = world_->fleet().network.faults();
  network.corrupt = network.cut = network.stall = 0;
  network.refuse_connect = network.slow_connect = network.connect_twice = 0;
  world_->disks().error = 0;
}

void FaultInjector::Begin(const SimFault& fault) {
  using Kind = SimFault::Kind;
  const bool may_look_dead =
      fault.lasts >= LooksDeadAfter(world_->schedule()) &&
      (fault.kind == Kind::kFreeze || fault.kind == Kind::kPart ||
       fault.kind == Kind::kPartOneWay);
  if (may_look_dead) world_->CountDeath();
  switch (fault.kind) {
    case Kind::kCrash:
      return Crash(fault);
    case Kind::kDrain:
      return Drain(fault);
    case Kind::kFreeze:
      return Freeze(fault);
    case Kind::kPart:
    case Kind::kPartOneWay:
      return Part(fault);
    case Kind::kReset:
      return Reset(fault);
    case Kind::kStarve:
      if (!world_->alive(fault.node.number)) return;
      return Starve(world_->server(fault.node.number).service->budget(), fault);
    case Kind::kStarveLeafs:
      if (!world_->alive(fault.node.number)) return;
      return StarveLeafs(fault);
    case Kind::kAway:
      return StayAway(fault);
  }
}

void FaultInjector::StayAway(const SimFault& fault) {
  if (fault.node.is_server) return;
  const auto& trainer = world_->seats()[fault.node.number]->trainer;
  if (trainer != nullptr) trainer->StayAway(fault.lasts);
}

SimExecutor* FaultInjector::NodeOf(const SimNodeName& name) {
  if (name.is_server) {
    return world_->alive(name.number) ? world_->server(name.number).executor
                                      : nullptr;
  }
  const auto& trainer = world_->seats()[name.number]->trainer;
  return trainer == nullptr ? nullptr : trainer->node();
}

std::string FaultInjector::HostOf(const SimNodeName& name) {
  return absl::StrCat(name.is_server ? "server" : "trainer", name.number);
}

void FaultInjector::Crash(const SimFault& fault) {
  const int number = fault.node.number;
  if (fault.node.is_server) {
    if (!world_->CrashServer(number)) return;
    ++world_->coverage().server_crashes;
    After(fault.lasts, [this, number] { world_->RestartServer(number); });
  } else {
    if (!world_->CrashTrainer(number)) return;
    ++world_->coverage().trainer_crashes;
    After(fault.lasts, [this, number] { world_->RestartTrainer(number); });
  }
}

// As `serve` drains: no new batches; open ones may finish within half of the
// time; then the process ends.
void FaultInjector::Drain(const SimFault& fault) {
  const int number = fault.node.number;
  if (!world_->alive(number)) return;
  SimServer& server = world_->server(number);
  if (server.service->draining()) return;
  ++world_->coverage().drains;
  SimExecutor* const node = server.executor;
  const auto end = [this, number, node] {
    if (world_->server(number).executor == node) world_->CrashServer(number);
  };
  server.service->Drain(node->Now() + fault.lasts / 2,
                        [this, end] { After(absl::ZeroDuration(), end); });
  After(fault.lasts, [this, end, number] {
    end();
    world_->RestartServer(number);
  });
}

void FaultInjector::Freeze(const SimFault& fault) {
  SimExecutor* const executor = NodeOf(fault.node);
  if (executor == nullptr) return;
  const int node = executor->node();
  ++(fault.node.is_server ? world_->coverage().server_freezes
                          : world_->coverage().trainer_freezes);
  ++frozen_[node];
  world_->scheduler().Freeze(node);
  After(fault.lasts, [this, node] {
    if (--frozen_[node] > 0) return;
    world_->scheduler().Thaw(node);
    world_->CountAwake(node);
  });
}

void FaultInjector::Part(const SimFault& fault) {
  ++world_->coverage().partings;
  const std::string a = HostOf(fault.node);
  const std::string b = HostOf(fault.other);
  PartOneWay(a, b, fault.lasts);
  if (fault.kind == SimFault::Kind::kPart) PartOneWay(b, a, fault.lasts);
}

void FaultInjector::PartOneWay(const std::string& from, const std::string& to,
                               absl::Duration lasts) {
  ++parted_[{from, to}];
  world_->fleet().network.Part(from, to);
  After(lasts, [this, from, to] {
    if (--parted_[{from, to}] == 0) world_->fleet().network.Heal(from, to);
  });
}

void FaultInjector::Reset(const SimFault& fault) {
  SimExecutor* const node = NodeOf(fault.node);
  if (node == nullptr) return;
  ++world_->coverage().resets;
  world_->fleet().network.BreakStreamsOf(node);
}

// The hog waits for its turn like every other reservation.
void FaultInjector::Starve(ByteBudget& budget, const SimFault& fault) {
  struct Hog {
    Reservation reservation;
    bool over = false;
  };
  auto hog = std::make_shared<Hog>();
  const size_t bytes =
      budget.limit() / 100 * static_cast<size_t>(fault.percent);
  const auto waiter =
      budget.Reserve(bytes, world_->server(fault.node.number).executor,
                     [this, hog](Reservation reservation) {
                       if (hog->over) return;
                       ++world_->coverage().hogs;
                       hog->reservation = std::move(reservation);
                     });
  if (!waiter.ok()) return;
  After(fault.lasts, [hog] {
    hog->over = true;
    hog->reservation.Release();
  });
}

// The hog takes at once what is free of its share, as all peers do.
void FaultInjector::StarveLeafs(const SimFault& fault) {
  SharedBudget& budget =
      world_->server(fault.node.number).service->leaf_budget();
  const size_t bytes =
      budget.limit() / 100 * static_cast<size_t>(fault.percent);
  auto taken = budget.Open("hog")->TryTake(
      std::min(bytes, budget.limit() - budget.used()));
  if (!taken.ok()) return;
  ++world_->coverage().hogs;
  After(fault.lasts, [hold = std::make_shared<BudgetShare::Hold>(
                          *std::move(taken))] { hold->Release(); });
}

}  // namespace tributary
