// A fleet of real servers and real loaders in one simulated world, with faults.
#ifndef TRIBUTARY_TESTS_SIM_FLEET_SIMULATION_H_
#define TRIBUTARY_TESTS_SIM_FLEET_SIMULATION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sampler_server/testing/sim_fleet.h"
#include "tests/sim/sim_trainer.h"

namespace tributary {

// All that a schedule consists of; RandomSimulation draws one from a seed.
struct SimulationOptions {
  uint64_t seed = 1;
  int num_servers = 2;
  uint32_t num_partitions = 2;
  int owners_per_partition = 1;  // at most num_servers
  uint32_t num_trainers = 1;
  bool replace = false;
  bool expand_all = false;
  int prefetch_size = 4;
  uint64_t ring_bytes = 256 << 10;
  SimNetworkFaults network;
  // Each happens at a random moment of the epoch and passes after a while.
  int crashes = 0;        // of a server, which is started again
  int freezes = 0;        // of a server, longer than it takes to be suspected
  int partings = 0;       // of the network between two nodes
  int resumptions = 0;    // of a trainer from a cursor; wants one trainer
  bool stranger = false;  // a server with another graph is in the list too

  std::string ToString() const;
};

// From one server without faults to eight with all of them.
SimulationOptions RandomSimulation(uint64_t seed);

// What a run was, to see that faults did happen.
struct SimulationReport {
  uint64_t batches = 0;
  uint64_t events = 0;
  uint64_t reassigned = 0;
  uint64_t corrupted = 0;
  int crashes = 0;
};

// Runs one epoch and checks, by gtest expectations: every batch delivered once,
// in order, with the digest that a lone server without faults makes; no error,
// since every partition's owners come back; in the end nothing is held.
SimulationReport RunSimulation(const SimulationOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_FLEET_SIMULATION_H_
