// The servers and trainers of a simulated run.
#ifndef TRIBUTARY_TESTS_SIM_SIM_WORLD_H_
#define TRIBUTARY_TESTS_SIM_SIM_WORLD_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/antagonists.h"
#include "tests/sim/coverage.h"
#include "tests/sim/delivery_ledger.h"
#include "tests/sim/schedule.h"
#include "tests/sim/sim_disk.h"
#include "tests/sim/sim_trainer.h"
#include "tests/sim/verdict.h"

namespace tributary {

// A rank of a job. Its trainer's process may die and be replaced; the rank's
// share of the epoch is delivered once. Reports to the ledger what its trainer
// gets.
class SimSeat final : public SimUser {
 public:
  SimSeat(int number, int job, uint32_t rank, uint32_t world)
      : number(number), job(job), rank(rank), world(world) {}

  const int number;
  const int job;
  const uint32_t rank;
  const uint32_t world;
  std::unique_ptr<SimTrainer> trainer;  // null: its process is dead
  uint64_t base = 0;   // the rank's batches committed by earlier processes
  Cursor resume_from;  // the last checkpoint, while the process is dead
  int lives = 0;

  // Returns the index that was delivered last or, in SimUser's events, now.
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

// Owns the fleet, the trainers and all checks of one run of a schedule, and
// starts and kills their processes. Single-threaded; time is virtual.
class SimWorld {
 public:
  // `expected[job]`: the batches that must be delivered; outlives the world.
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
  // Returns the schedule's number; the server with another graph is one more.
  int num_servers() const { return static_cast<int>(schedule_.servers); }
  SimServer& server(int number) { return *fleet_.servers[number]; }
  bool alive(int server);
  // Returns the server or seat whose living process runs on the node; -1 or
  // null if there is none.
  int ServerOf(int node) const;
  const SimSeat* SeatOf(int node) const;
  // Whether the node is alive and not frozen; and since when.
  bool awake(int node) const;
  absl::Time awake_since(int node) const;
  void CountAwake(int node) { awake_since_[node] = fleet_.world.now(); }
  absl::Time start() const { return start_; }

  // Clients that abuse the servers; none if the schedule has no abuses.
  Antagonists& antagonists() { return *antagonists_; }
  // Whether the server on the node lies to its peers; to trainers.
  bool IsLiar(int node) const;
  bool LiesToTrainers(int node) const;

  // Starts every seat's trainer, each as an event of its own node.
  void StartTrainers();
  bool AllDone() const;

  // Kill and start processes. A crash returns false, and does nothing, if the
  // process is not alive or its work is done.
  bool CrashServer(int number);
  void RestartServer(int number);
  bool CrashTrainer(int number);
  void RestartTrainer(int number);
  // Counts one more server that trainers may take for dead.
  void CountDeath() { ++deaths_; }
  SimExcuses excuses() const;

  // Adds a trainer's counters to the coverage, before it is destroyed.
  void Collect(const SimTrainer& trainer);
  // Returns the number of streams to the server that trainers must not ask.
  int strangers_streams() const;

 private:
  SimServerOptions ServerOptions(int number);
  std::function<std::unique_ptr<StreamAcceptor>(StreamAcceptor*)> Lies();
  std::shared_ptr<RowReader> MakeRows(SimExecutor* server);
  double DriftOf(const std::string& name) const;
  void TraceBatches(SimTrainerOptions& trainer);
  void Hold(SimTrainerOptions& trainer) const;
  void Seat(SimSeat& seat);

  const Schedule schedule_;
  SimDiskFaults disk_faults_;
  // Of dead processes, too.
  std::vector<std::unique_ptr<SimDisk>> disks_;
  std::vector<std::unique_ptr<StreamAcceptor>> liars_;
  SimFleet fleet_;
  const absl::Time start_;
  Verdict verdict_;
  SimCoverage coverage_;
  std::vector<DeliveryLedger> ledgers_;  // by job
  class StreamCounter;
  std::unique_ptr<StreamCounter> at_stranger_;
  std::unique_ptr<Antagonists> antagonists_;
  std::vector<std::unique_ptr<SimSeat>> seats_;
  std::map<int, absl::Time> awake_since_;  // by node that was frozen
  int deaths_ = 0;
  std::set<int> lost_;  // servers that have ended
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SIM_WORLD_H_
