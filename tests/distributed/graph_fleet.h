// A graph folder, servers that serve it, and a trainer's workers.
#ifndef TRIBUTARY_TESTS_GRAPH_GRAPH_FLEET_H_
#define TRIBUTARY_TESTS_GRAPH_GRAPH_FLEET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "partition/format/testing/graph_builder.h"
#include "partition/writer/content.h"
#include "partition/writer/writer.h"
#include "sampler_server/server/sampler_server.h"
#include "trainer_client/graph/dist_graph.h"
#include "trainer_client/modes/sampling_workers.h"

namespace tributary {

struct GraphFleetOptions {
  uint32_t partitions = 1;
  // Servers, of which s has the partitions p with p mod servers == s, or all if
  // there are fewer partitions than servers. 0: one in the trainer's process.
  int servers = 0;
  bool edge_index = true;
  bool degrees = true;
  FeatureMemory features = FeatureMemory::kResident;
};

// Ends the test program if something cannot be made.
class GraphFleet {
 public:
  // Places node i of each type in partition (i * 7 + i / 3) mod P.
  GraphFleet(const GraphContent& content, const GraphFleetOptions& options);

  // Returns a graph of this rank.
  std::unique_ptr<DistGraph> Open(int rank = 0, int world_size = 1);
  SamplingWorkers& workers() { return *workers_; }
  std::string folder() const { return folder_.File("graph"); }
  void StopServer(size_t i) { servers_[i].reset(); }

 private:
  void StartServers(const GraphFleetOptions& options);

  TemporaryFolder folder_;
  std::vector<std::unique_ptr<SamplerServer>> servers_;
  std::unique_ptr<SamplingWorkers> workers_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_GRAPH_GRAPH_FLEET_H_
