// What the status of a server is made of.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_STATUS_INPUT_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_STATUS_INPUT_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "sampler_server/jobs/admission.h"
#include "sampler_server/jobs/job_weights.h"
#include "sampler_server/service/load/job_activity.h"
#include "sampler_server/service/status/counted.h"

namespace tributary {

// A budget of a service.
struct BudgetState {
  std::string name;
  size_t limit = 0;
  size_t used = 0;
};

// What a server knows that its service does not.
struct ServerFacts {
  bool policy_broken = false;
  uint64_t graphs_unserved = 0;
  uint64_t disk_errors = 0;  // since the start
  // Refusals since the start, by reason.
  std::map<std::string, uint64_t> refused_connections;
  std::map<std::string, uint64_t> refused_streams;
  size_t streams = 0;  // that are open
  size_t tcp_streams = 0;
  std::vector<std::string> silent_peers;  // their addresses
  // Until this server's certificate ends.
  absl::Duration certificate_left = absl::InfiniteDuration();
};

// A graph that whoever asks may read.
struct GraphFacts {
  std::string name;  // NAME@VERSION
  std::string layout_digest;
  uint32_t num_partitions = 0;      // here and elsewhere
  std::vector<uint32_t> owned;      // of this server
  std::vector<uint32_t> elsewhere;  // of peers that answer, in any order
  bool retiring = false;
  std::string damage;  // of its files; empty: none
};

struct StatusInput {
  absl::Time now;
  absl::Duration uptime;
  bool draining = false;
  double busy_ratio = 0;
  uint64_t memory_used = 0;
  uint64_t memory_budget = 0;
  absl::Time memory_wanted_since = absl::InfiniteFuture();  // see Admission
  size_t queued = 0;
  size_t active = 0;
  JobWeights weights;
  std::vector<JobState> queues;
  std::vector<JobFigures> activity;
  std::map<std::string, double> waits;  // see WaitReports::ByJob
  std::vector<BudgetState> budgets;
  CountedTotals recent = {};  // of the last minute
  ServerFacts facts;
  std::vector<GraphFacts> graphs;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_STATUS_STATUS_INPUT_H_
