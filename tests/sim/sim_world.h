// The servers and trainers of a schedule, as they come and go.
#ifndef TRIBUTARY_TESTS_SIM_SIM_WORLD_H_
#define TRIBUTARY_TESTS_SIM_SIM_WORLD_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/coverage.h"
#include "tests/sim/delivery_ledger.h"
#include "tests/sim/schedule.h"
#include "tests/sim/sim_disk.h"
#include "tests/sim/sim_trainer.h"
#include "tests/sim/verdict.h"

namespace tributary {

// A trainer's place in its job: who sits there changes, the rank's share of
// the epoch is taken once.
class SimSeat final : public SimUser {
 public:
  SimSeat(int number, int job, uint32_t rank, uint32_t world)
      : number(number), job(job), rank(rank), world(world) {}

  const int number;
  const int job;
  const uint32_t rank;
  const uint32_t world;
  std::unique_ptr<SimTrainer> trainer;  // null: its process is dead
  uint64_t base = 0;   // of the rank's batches, committed by those before
  Cursor resume_from;  // of the last checkpoint, while it is dead
  int lives = 0;

  // The index that is delivered next.
  uint64_t NextIndex() const {
    return rank + (base + trainer->delivered() - 1) * world;
  }

  // Set by the world.
  DeliveryLedger* ledger = nullptr;
  class SimWorld* in = nullptr;
  void OnBatch(const BatchView& view) override;
  void OnRelease(const BatchView& view) override;
  void OnError(const absl::Status& why) override;
  void OnLeasesFillRing(size_t held) override;
};

class SimWorld {
 public:
  // `expected[job]`: the batches that must come out; outlives the world.
  SimWorld(const Schedule& schedule,
           std::vector<const std::vector<ExpectedBatch>*> expected);
  ~SimWorld();

  const Schedule& schedule() const { return schedule_; }
  SimFleet& fleet() { return fleet_; }
  SimScheduler& scheduler() { return fleet_.world; }
  Verdict& verdict() { return verdict_; }
  SimCoverage& coverage() { return coverage_; }
  SimDiskFaults& disks() { return disk_faults_; }
  std::vector<std::unique_ptr<SimSeat>>& seats() { return seats_; }
  DeliveryLedger& ledger(int job) { return ledgers_[job]; }
  // Of the schedule; the stranger is one more.
  int num_servers() const { return static_cast<int>(schedule_.servers); }
  SimServer& server(int number) { return *fleet_.servers[number]; }
  bool alive(int server);
  // By node; -1 and null: it is none that lives.
  int ServerOf(int node) const;
  const SimSeat* SeatOf(int node) const;
  // Alive and not frozen; since when it has not stood still.
  bool awake(int node) const;
  absl::Time awake_since(int node) const;
  void CountAwake(int node) { awake_since_[node] = fleet_.world.now(); }
  absl::Time start() const { return start_; }

  // Every seat's trainer begins, each at its own moment.
  void StartTrainers();
  bool AllDone() const;

  // Processes that end and begin. A server that is down is not killed again.
  bool CrashServer(int number);
  void RestartServer(int number);
  bool CrashTrainer(int number);
  void RestartTrainer(int number);
  // More servers may be taken for dead from now on.
  void CountDeath() { ++deaths_; }
  SimExcuses excuses() const;

  // Counts what a trainer has seen, before it goes.
  void Collect(const SimTrainer& trainer);
  // Streams that came to a server which trainers must not ask.
  int strangers_streams() const;

 private:
  SimServerOptions ServerOptions(int number);
  std::shared_ptr<RowReader> MakeRows(SimExecutor* server);
  double DriftOf(const std::string& name) const;
  void Seat(SimSeat& seat);

  const Schedule schedule_;
  SimDiskFaults disk_faults_;
  std::vector<std::unique_ptr<SimDisk>> disks_;  // of processes dead, too
  SimFleet fleet_;
  const absl::Time start_;
  Verdict verdict_;
  SimCoverage coverage_;
  std::vector<DeliveryLedger> ledgers_;  // by job
  class StreamCounter;
  std::unique_ptr<StreamCounter> at_stranger_;
  std::vector<std::unique_ptr<SimSeat>> seats_;
  std::map<int, absl::Time> awake_since_;  // nodes that were frozen
  int deaths_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SIM_WORLD_H_
