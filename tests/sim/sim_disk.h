// A disk of a simulated server: late, out of order, and failing for a while.
#ifndef TRIBUTARY_TESTS_SIM_SIM_DISK_H_
#define TRIBUTARY_TESTS_SIM_SIM_DISK_H_

#include "absl/time/time.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/rows/piece_reader.h"
#include "tests/sim/coverage.h"

namespace tributary {

// Of all servers of a world; each asks for its pieces by an executor.
struct SimDiskFaults {
  absl::Duration slowest;  // of a piece
  double error = 0;        // how often a piece is not read
};

// Answers each piece at a time of its own as an event of the server, whose
// crash loses it. All arguments outlive it.
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
