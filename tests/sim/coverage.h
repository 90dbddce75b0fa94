// Counts what happened in simulated runs: faults, and how they were overcome.
#ifndef TRIBUTARY_TESTS_SIM_COVERAGE_H_
#define TRIBUTARY_TESTS_SIM_COVERAGE_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"

namespace tributary {

// Lets a test check that random schedules still reach every fault and every
// way of recovery. Plain counters; add up with Add.
struct SimCoverage {
  uint64_t runs = 0;
  uint64_t calm_runs = 0;
  uint64_t events = 0;
  uint64_t batches = 0;  // delivered
  // Faults. A hog takes a share of a memory budget; see SimFault.
  uint64_t server_crashes = 0;
  uint64_t trainer_crashes = 0;
  uint64_t drains = 0;
  uint64_t server_freezes = 0;
  uint64_t trainer_freezes = 0;
  uint64_t partings = 0;  // network partitions
  uint64_t resets = 0;
  uint64_t hogs = 0;
  uint64_t corrupted = 0;
  uint64_t cuts = 0;
  uint64_t stalls = 0;
  uint64_t refused_connects = 0;
  uint64_t slow_connects = 0;
  uint64_t double_connects = 0;
  uint64_t held_back = 0;  // messages, by a network partition
  uint64_t disk_reads = 0;
  uint64_t disk_errors = 0;
  uint64_t abuses = 0;          // messages that antagonists sent
  uint64_t abusers_closed = 0;  // their streams that servers closed
  // Recovery.
  uint64_t reassigned = 0;
  uint64_t hedged = 0;
  uint64_t needs = 0;
  uint64_t evicted = 0;
  uint64_t doubles = 0;      // batches that arrived again
  uint64_t left_out = 0;     // bytes that trainers held
  uint64_t compact = 0;      // bytes that compact edges did without
  uint64_t rolled_back = 0;  // batches delivered again after a trainer died
  uint64_t leases_fill_ring = 0;
  uint64_t too_large = 0;   // permanent errors that were due
  uint64_t given_up = 0;    // batches that several servers died over
  uint64_t reconnects = 0;  // of batch streams
  uint64_t cancels = 0;
  uint64_t wait_reports = 0;
  uint64_t returned = 0;
  uint64_t retryable_errors = 0;
  uint64_t queue_refusals = 0;  // by admission
  uint64_t draining_refusals = 0;
  uint64_t unknown_sessions = 0;
  uint64_t many_frames = 0;  // batches of more than one frame
  uint64_t ready_rooms = 0;  // filled in place
  uint64_t leaf_calls = 0;
  uint64_t leaf_errors = 0;
  uint64_t leaf_cuts = 0;         // partial replies that were continued
  uint64_t narrow_replies = 0;    // of peers, to hops
  uint64_t omitting_replies = 0;  // likewise, without edge ids
  uint64_t leaf_retries = 0;      // calls repeated, to this or another owner

  void Add(const SimCoverage& other);
  std::string ToString() const;  // one line per counter
};

// A counter and its name; SimCounters() lists all of them.
struct SimCounter {
  const char* name;
  uint64_t SimCoverage::*value;
};
absl::Span<const SimCounter> SimCounters();

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_COVERAGE_H_
