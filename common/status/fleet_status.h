// The state of a fleet, put together from what each server tells of itself.
#ifndef TRIBUTARY_COMMON_STATUS_FLEET_STATUS_H_
#define TRIBUTARY_COMMON_STATUS_FLEET_STATUS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/proto/status.pb.h"
#include "common/trace/stage_names.h"

namespace tributary {

// One server as the one who looks sees it.
struct ServerView {
  std::string address;  // HOST:PORT
  absl::Status answer;  // why it is silent; OK: it answers
  // Its own figures; none: it answers and tells nothing.
  std::optional<v1::ServerStatus> status;
  bool just_asked = false;  // it has had no time to tell
  // Its partitions as others know them, if there is no status.
  std::vector<v1::GraphStatus> graphs;
};

struct FleetStatus {
  enum class State { kSilent, kDraining, kReady };

  struct Server {
    std::string address;
    State state = State::kSilent;
    std::string problem;       // why it is silent
    bool has_figures = false;  // else the members below are unknown
    std::string version;
    uint64_t uptime_s = 0;
    uint32_t busy_permille = 0;
    uint64_t memory_used_bytes = 0;
    uint64_t memory_budget_bytes = 0;
    uint32_t queued = 0;
    uint32_t streams = 0;
    uint32_t tcp_streams = 0;  // of them
    double batches_per_s = 0;
    double bytes_per_s = 0;
  };
  // Partitions of one graph that have the same owners.
  struct Partitions {
    std::string graph;                 // NAME@VERSION
    std::vector<uint32_t> partitions;  // ascending
    std::vector<std::string> owners;   // none: nobody can be asked for them
  };
  // A job, summed over the servers.
  struct Job {
    std::string name;
    double batches_per_s = 0;
    double bytes_per_s = 0;
    uint64_t queued = 0;
    bool wait_known = false;
    uint32_t wait_permille = 0;  // the largest
    std::array<uint64_t, kNumTimedStages> stage_us = {};
    uint64_t failed = 0;
    // The batch that took longest; slowest_us 0: none.
    uint64_t slowest_epoch = 0;
    uint64_t slowest_index = 0;
    uint64_t slowest_us = 0;
    uint32_t slowest_stage = 0;
    std::string slowest_server;

    uint64_t total_us() const;
    // Returns the stage with the largest sum; total_us() must not be 0.
    size_t slowest_of_all_stages() const;
  };
  struct Trouble {
    std::string code;
    std::string text;
    uint64_t count = 0;                // in the last minute
    std::vector<std::string> servers;  // that tell of it
  };

  absl::Time at;
  std::string told_by;   // who looks: an address, or a command
  std::string only_job;  // not empty: only what a trainer of that job may see
  std::vector<Server> servers;         // silent, draining, busiest first
  std::vector<Partitions> partitions;  // without an owner first
  std::vector<Job> jobs;               // the fastest first
  std::vector<Trouble> troubles;       // the worst first
  size_t num_partitions = 0;           // of all graphs
  size_t num_unowned = 0;
  size_t num_silent = 0;
};

// Puts a fleet together. A server that is silent or drains, or retires a graph,
// owns nothing. Adds the troubles that only who sees all servers knows:
// no_owner, server_silent, no_status. Equal troubles of several servers become
// one.
FleetStatus MakeFleetStatus(absl::Time at, std::string told_by,
                            const std::vector<ServerView>& servers);

// Leaves only what a trainer of `job` may see: its job, and the troubles in
// `own`, which a server made for that trainer.
FleetStatus OnlyJob(FleetStatus fleet, const std::string& job,
                    const v1::ServerStatus& own);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_FLEET_STATUS_H_
