#include "tests/sim/step_checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// A loader ticks every 20 ms while it waits, a server with work reports
// progress every 100 ms; clocks may be off by a tenth.
constexpr absl::Duration kTrainerSleeps = absl::Milliseconds(25);
constexpr absl::Duration kServerSleeps = absl::Milliseconds(120);

template <typename Budget>
std::string OverLimit(const Budget& budget) {
  return absl::StrCat(budget.name(), ": ", budget.used(), " of ",
                      budget.limit());
}

}  // namespace

void StepChecks::OnStep() {
  const int node = world_->scheduler().last_node();
  const auto when =
      static_cast<uint64_t>(absl::ToUnixNanos(world_->scheduler().now()));
  history_ = (history_ ^ when) * 1099511628211u;
  history_ = (history_ ^ static_cast<uint64_t>(node + 1)) * 1099511628211u;
  if (node < 0) return;
  if (const SimSeat* seat = world_->SeatOf(node)) return CheckTrainer(*seat);
  const int server = world_->ServerOf(node);
  if (server >= 0) CheckServer(server);
}

void StepChecks::CheckServer(int number) {
  if (!world_->alive(number)) return;
  const SimServer& server = world_->server(number);
  const SamplerService& service = *server.service;
  Verdict& verdict = world_->verdict();
  const auto check = [&](const auto& budget) {
    if (budget.used() <= budget.limit()) return;
    verdict.Fail("over its budget",
                 absl::StrCat("server ", number, ", ", OverLimit(budget)));
  };
  check(service.budget());
  check(service.leaf_budget());
  check(service.data_budget());
  const int node = server.executor->node();
  const size_t held = world_->fleet().network.FrameBytesOf(node);
  if (service.budget().used() < held) {
    verdict.Fail("memory given back too early",
                 absl::StrCat("server ", number, ": ", held,
                              " bytes are on their way, reserved are ",
                              service.budget().used()));
  }
  if (service.queued() > static_cast<size_t>(world_->schedule().queued)) {
    verdict.Fail("too many credits wait",
                 absl::StrCat("server ", number, ": ", service.queued()));
  }
  CheckAwake(node, service.active() + service.queued() > 0, kServerSleeps,
             "a server with work");
}

void StepChecks::CheckTrainer(const SimSeat& seat) {
  const SlotRing& ring = seat.trainer->ring();
  const SlotRingStats stats = ring.stats();
  if (stats.used_bytes > ring.capacity() ||
      stats.peak_bytes > ring.capacity() ||
      stats.leased_bytes > stats.used_bytes) {
    world_->verdict().Fail(
        "over its ring",
        absl::StrCat("trainer ", seat.number, ": ", stats.used_bytes, " of ",
                     ring.capacity(), ", leased ", stats.leased_bytes));
  }
  CheckAwake(seat.trainer->node()->node(), seat.trainer->waiting(),
             kTrainerSleeps, "a trainer that waits");
}

// Checks the past: a node with pending work after its last event must have had
// another event soon, unless it was frozen.
void StepChecks::CheckAwake(int node, bool is_owed, absl::Duration most,
                            const char* what) {
  if (nodes_.size() <= static_cast<size_t>(node)) nodes_.resize(node + 1);
  Wakefulness& self = nodes_[node];
  const absl::Time now = world_->scheduler().now();
  const absl::Duration slept =
      now - std::max(self.last_event, world_->awake_since(node));
  if (self.is_owed && slept > most) {
    world_->verdict().Fail("sleeps without a timer",
                           absl::StrCat(what, ", node ", node, ", for ",
                                        absl::FormatDuration(slept)));
  }
  self = {now, is_owed};
}

}  // namespace tributary
