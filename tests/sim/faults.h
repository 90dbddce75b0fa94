// Makes the faults of a schedule happen, and pass.
#ifndef TRIBUTARY_TESTS_SIM_FAULTS_H_
#define TRIBUTARY_TESTS_SIM_FAULTS_H_

#include <map>
#include <string>
#include <utility>

#include "tests/sim/sim_world.h"

namespace tributary {

// Faults may overlap: a node thaws, and two nodes hear of each other again,
// when the last fault that says otherwise has passed.
class FaultInjector {
 public:
  explicit FaultInjector(SimWorld* world) : world_(world) {}

  // Before the world runs.
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
  void StayAway(const SimFault& fault);
  void EndRates();
  // Null: it is dead.
  SimExecutor* NodeOf(const SimNodeName& name);
  static std::string HostOf(const SimNodeName& name);

  SimWorld* const world_;
  std::map<int, int> frozen_;  // how often, by node
  std::map<std::pair<std::string, std::string>, int> parted_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_FAULTS_H_
