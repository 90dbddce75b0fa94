// A disk of a simulated server, with delays and errors.
#ifndef TRIBUTARY_TESTS_SIM_SIM_DISK_H_
#define TRIBUTARY_TESTS_SIM_SIM_DISK_H_

#include "absl/time/time.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/rows/piece_reader.h"
#include "tests/sim/coverage.h"

namespace tributary {

// The faults of all disks of a world.
struct SimDiskFaults {
  absl::Duration slowest;  // the longest time that reading a piece takes
  double error = 0;        // the probability that reading a piece fails
};

// Answers each piece after a random delay, so out of order, as an event of the
// server; a crash of the server loses the answer. All arguments outlive it.
class SimDisk final : public PieceReader {
 public:
  SimDisk(SimScheduler* world, SimExecutor* server, const SimDiskFaults* faults,
          SimCoverage* coverage)
      : world_(world), server_(server), faults_(faults), coverage_(coverage) {}

  void Read(RowPiece piece, Done done) override;

 private:
  SimScheduler* const world_;
  SimExecutor* const server_;
  const SimDiskFaults* const faults_;
  SimCoverage* const coverage_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SIM_DISK_H_
