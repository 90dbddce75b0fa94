// The fixture of tests of whole servers: small graphs, their sessions, and
// scripted trainers.
#ifndef TRIBUTARY_SAMPLER_SERVER_TESTING_FLEET_FIXTURE_H_
#define TRIBUTARY_SAMPLER_SERVER_TESTING_FLEET_FIXTURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/scripted_trainer.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {

// Returns the graph of the vectors in docs/sampling.md. `mapped` are the
// partitions to map; empty: all. Each graph is made once for all tests of a
// process.
std::shared_ptr<const Graph> VectorGraph(uint32_t num_partitions,
                                         std::vector<uint32_t> mapped = {});
// The session of those vectors, and the answers to its first two batches.
TrainerSession VectorSession(const SimServer& server);
inline constexpr char kBatch0[] =
    "ready 40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68";
inline constexpr char kBatch1[] =
    "ready 1814728e52adf5b868d94eb58f194146e7abf74beff49ab192bbf29f39928803";

// Returns the same graph with the weights and times of those vectors.
std::shared_ptr<const Graph> DrawVectorGraph(uint32_t num_partitions,
                                             std::vector<uint32_t> mapped = {});

// Returns a star in two partitions: node 0 has 50 neighbours; each node has
// features of 64 bytes.
std::shared_ptr<const Graph> StarGraph(std::vector<uint32_t> mapped);
// A session of 16 batches, each of node 0 with all its neighbours.
TrainerSession StarSession(const SimServer& server);

class FleetFixture : public testing::Test {
 protected:
  std::shared_ptr<ScriptedTrainer> Connect(SimFleet& fleet, int server = 0);
  // Runs until `trainer` has `answers` answers, or 30 s have passed.
  void Await(SimFleet& fleet, const ScriptedTrainer& trainer, size_t answers);
  void RunFor(SimFleet& fleet, absl::Duration time);
  // Expects that the server holds no memory for batches or calls, and no batch.
  void ExpectIdle(const SimServer& server);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TESTING_FLEET_FIXTURE_H_
