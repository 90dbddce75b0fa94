#include "tests/sim/coverage.h"

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr SimCounter kCounters[] = {
    {"runs", &SimCoverage::runs},
    {"calm_runs", &SimCoverage::calm_runs},
    {"events", &SimCoverage::events},
    {"batches", &SimCoverage::batches},
    {"server_crashes", &SimCoverage::server_crashes},
    {"trainer_crashes", &SimCoverage::trainer_crashes},
    {"drains", &SimCoverage::drains},
    {"server_freezes", &SimCoverage::server_freezes},
    {"trainer_freezes", &SimCoverage::trainer_freezes},
    {"partings", &SimCoverage::partings},
    {"resets", &SimCoverage::resets},
    {"hogs", &SimCoverage::hogs},
    {"corrupted", &SimCoverage::corrupted},
    {"cuts", &SimCoverage::cuts},
    {"stalls", &SimCoverage::stalls},
    {"refused_connects", &SimCoverage::refused_connects},
    {"slow_connects", &SimCoverage::slow_connects},
    {"double_connects", &SimCoverage::double_connects},
    {"held_back", &SimCoverage::held_back},
    {"disk_reads", &SimCoverage::disk_reads},
    {"disk_errors", &SimCoverage::disk_errors},
    {"abuses", &SimCoverage::abuses},
    {"abusers_closed", &SimCoverage::abusers_closed},
    {"reassigned", &SimCoverage::reassigned},
    {"left_out", &SimCoverage::left_out},
    {"compact", &SimCoverage::compact},
    {"hedged", &SimCoverage::hedged},
    {"needs", &SimCoverage::needs},
    {"evicted", &SimCoverage::evicted},
    {"doubles", &SimCoverage::doubles},
    {"rolled_back", &SimCoverage::rolled_back},
    {"leases_fill_ring", &SimCoverage::leases_fill_ring},
    {"too_large", &SimCoverage::too_large},
    {"given_up", &SimCoverage::given_up},
    {"reconnects", &SimCoverage::reconnects},
    {"cancels", &SimCoverage::cancels},
    {"wait_reports", &SimCoverage::wait_reports},
    {"returned", &SimCoverage::returned},
    {"retryable_errors", &SimCoverage::retryable_errors},
    {"queue_refusals", &SimCoverage::queue_refusals},
    {"draining_refusals", &SimCoverage::draining_refusals},
    {"unknown_sessions", &SimCoverage::unknown_sessions},
    {"many_frames", &SimCoverage::many_frames},
    {"ready_rooms", &SimCoverage::ready_rooms},
    {"leaf_calls", &SimCoverage::leaf_calls},
    {"leaf_errors", &SimCoverage::leaf_errors},
    {"leaf_cuts", &SimCoverage::leaf_cuts},
    {"narrow_replies", &SimCoverage::narrow_replies},
    {"omitting_replies", &SimCoverage::omitting_replies},
    {"leaf_retries", &SimCoverage::leaf_retries},
};

}  // namespace

absl::Span<const SimCounter> SimCounters() { return kCounters; }

void SimCoverage::Add(const SimCoverage& other) {
  for (const SimCounter& counter : kCounters) {
    this->*counter.value += other.*counter.value;
  }
}

std::string SimCoverage::ToString() const {
  std::string text;
  for (const SimCounter& counter : kCounters) {
    absl::StrAppend(&text, counter.name, " ", this->*counter.value, "\n");
  }
  return text;
}

}  // namespace tributary
