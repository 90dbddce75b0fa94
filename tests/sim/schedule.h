// A simulated run as data: its servers, trainers and faults; one line of text.
#ifndef TRIBUTARY_TESTS_SIM_SCHEDULE_H_
#define TRIBUTARY_TESTS_SIM_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tributary {

// A server or a trainer by number; its text is "s2" or "t0".
struct SimNodeName {
  bool is_server = true;
  int number = 0;
  std::string ToString() const;
  friend bool operator==(const SimNodeName&, const SimNodeName&) = default;
};

// A disturbance that begins at a time and ends.
struct SimFault {
  enum class Kind {
    kCrash,        // a server or a trainer dies; another starts in its place
    kDrain,        // a server is told to stop, and starts again afterwards
    kFreeze,       // a server or a trainer stands still
    kPart,         // a network partition between two nodes
    kPartOneWay,   // the same, only from the first to the second
    kReset,        // all streams of a node break
    kStarve,       // a hog takes `percent` of a server's memory budget
    kStarveLeafs,  // the same of its leaf budget
    kAway,         // the user of a trainer takes no batch; the trainer runs on
  };
  Kind kind = Kind::kCrash;
  SimNodeName node;
  SimNodeName other;  // kPart, kPartOneWay
  int percent = 0;    // kStarve, kStarveLeafs
  absl::Duration at;
  absl::Duration lasts;

  std::string ToString() const;
  friend bool operator==(const SimFault&, const SimFault&) = default;
};

// Uniform, weighted, LABOR, disjoint, by edge times, by node times.
inline constexpr int64_t kSimDrawWays = 6;
// The number of values of Schedule::predicates.
inline constexpr int64_t kSimMasks = 2;

// The values of Schedule::kind.
inline constexpr int64_t kSimNeighbors = 0, kSimWalks = 1, kSimPpr = 2,
                         kSimLayerwise = 3, kSimKinds = 4;

// The values of Schedule::cache: no trainer holds rows; all servers know the
// list of those that they hold; the first one has none, or another list. The
// bit kSimDamagedRows may be added: some of the rows are damaged.
inline constexpr int64_t kSimNoCache = 0, kSimListEverywhere = 1,
                         kSimListMissing = 2, kSimOtherList = 3,
                         kSimDamagedRows = 4;

// Everything that a run depends on. The default of each number is the value
// that disturbs least; SimFields() lists the numbers.
struct Schedule {
  int64_t seed = 1;  // of the draws that are left: latencies, ties, steps
  int64_t servers = 1;
  int64_t partitions = 1;
  int64_t owners = 1;    // of each partition
  int64_t trainers = 1;  // of all jobs
  int64_t jobs = 1;      // each with a random seed of its own
  int64_t batches = 16;  // of each job
  int64_t replace = 0;
  int64_t expand_all = 0;
  int64_t kind = 0;        // of sampling: kSimNeighbors, ...
  int64_t links = 0;       // 1 to 4: links instead of nodes, with no negatives,
                           // binary ones, triplets, destinations
  int64_t link_types = 0;  // links are of two edge types, of a typed graph
  int64_t draws = 0;       // 0: uniform; else the ways of kSimDrawWays
  int64_t predicates = 0;  // 1: some edges are left out by what they store;
                           // kSimMasks: by masks, too
  int64_t subgraph = 0;    // 0: directional, 1: bidirectional, 2: induced
  int64_t edge_dir = 0;    // 0: in, 1: out, 2: both; of directional ones
  int64_t features = 0;    // 0: as stored, 1: float16, 2: bfloat16,
                           // 3: int8
  int64_t scaled = 0;      // the graph stores features as int8 with scales
  int64_t omit_edge_ids = 0;  // of batches with edges
  int64_t cache = 0;          // trainers hold rows; see SimCache
  int64_t compact = 0;        // trainers expand compact edges
  int64_t rooms = 0;          // trainers share memory with servers
  int64_t stranger = 0;       // a server with another graph is listed too
  int64_t certificates = 0;   // everybody has one, antagonists that of one job
  int64_t abuses = 0;         // a sum of Abuse (tests/abuse/abuse.h)

  // Trainers.
  int64_t prefetch = 4;
  int64_t ring = 256 << 10;      // bytes
  int64_t held = 1;              // batches that a user holds, at most
  int64_t step_us = 2000;        // a step takes up to this
  int64_t checkpoint = 1;        // every so many steps
  int64_t timeout_ms = 120'000;  // rpc_timeout

  // Servers.
  int64_t memory = 4 << 20;  // bytes
  int64_t leaf_memory = 4 << 20;
  int64_t running = 8;
  int64_t running_per_stream = 4;
  int64_t queued = 4096;
  int64_t sessions = 256;
  int64_t frame = 1 << 20;       // bytes
  int64_t window = 4 << 20;      // of frames in the transport
  int64_t leaf_reply = 4 << 20;  // bytes

  // The network, and how fast clocks go.
  int64_t drift_ppm = 0;  // clocks differ from the world's by up to this
  int64_t latency_us = 200;
  int64_t rough_ms = 100;  // for so long the five rates below hold
  int64_t corrupt_ppm = 0;
  int64_t cut_ppm = 0;
  int64_t stall_ppm = 0;
  int64_t refuse_ppm = 0;
  int64_t slow_ppm = 0;
  int64_t twice_ppm = 0;
  int64_t detect_ms = 2000;  // a crash is noticed within

  // Disks. Features are in memory, or in files.
  int64_t disk_us = 0;         // 0: in memory; else a read takes up to this
  int64_t disk_error_ppm = 0;  // of reads, for rough_ms

  std::vector<SimFault> faults;

  // Whether there are no faults and nothing is short.
  bool IsCalm() const;
  // Returns when the last fault has ended and the rates are zero.
  absl::Duration CalmAfter() const;

  // Returns what differs from the defaults, then the faults:
  // "servers=3 trainers=2; crash s1 at=12ms for=500ms".
  std::string ToString() const;
  // Reads such a text. INVALID_ARGUMENT names the word that is wrong.
  static absl::StatusOr<Schedule> Parse(absl::string_view text);
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

struct SimField {
  const char* name;
  int64_t Schedule::*value;
  int64_t least;
  int64_t most;
};
absl::Span<const SimField> SimFields();

// Limits each number to what the others allow, and removes faults of nodes that
// do not exist.
void Normalize(Schedule& schedule);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SCHEDULE_H_
