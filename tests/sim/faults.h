// Injects the faults of a schedule into a world.
#ifndef TRIBUTARY_TESTS_SIM_FAULTS_H_
#define TRIBUTARY_TESTS_SIM_FAULTS_H_

#include <map>
#include <string>
#include <utility>

#include "tests/sim/sim_world.h"

namespace tributary {

// Begins each fault at its time and ends it afterwards. Faults may overlap: a
// node thaws, and two nodes are connected again, when the last such fault of
// theirs has ended. `world` outlives it.
class FaultInjector {
 public:
  explicit FaultInjector(SimWorld* world) : world_(world) {}

  // Schedules all faults. Call it before the world runs.
  void ScheduleAll();

 private:
  void After(absl::Duration delay, Task task);
  void Begin(const SimFault& fault);
  void Crash(const SimFault& fault);
  void Drain(const SimFault& fault);
  void Freeze(const SimFault& fault);
  void Part(const SimFault& fault);
  void PartOneWay(const std::string& from, const std::string& to,
                  absl::Duration lasts);
  void Reset(const SimFault& fault);
  void Starve(ByteBudget& budget, const SimFault& fault);
  void StarveLeafs(const SimFault& fault);
  void StayAway(const SimFault& fault);
  void EndRates();
  // Returns null if the node is dead.
  SimExecutor* NodeOf(const SimNodeName& name);
  static std::string HostOf(const SimNodeName& name);

  SimWorld* const world_;
  std::map<int, int> frozen_;  // active freezes, by node
  // Active partitions, by sender and receiver.
  std::map<std::pair<std::string, std::string>, int> parted_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_FAULTS_H_
