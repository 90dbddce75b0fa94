// What the simulated fleets sample, and what must come out.
#ifndef TRIBUTARY_TESTS_SIM_SAMPLED_GRAPH_H_
#define TRIBUTARY_TESTS_SIM_SAMPLED_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/batch/batch_view.h"
#include "partition/format/graph.h"
#include "tests/sim/schedule.h"
#include "trainer_client/core/loader_core.h"

namespace tributary {

inline constexpr int64_t kSimBatchSize = 3;

// Partition p is owned by the servers p, p + 1, ... modulo their number; who
// would own none has one too.
std::vector<uint32_t> PartitionsOfServer(const Schedule& schedule, int server);

// Opened graphs are immutable: runs share them. Those of schedules that draw by
// weights, times or neighbours' ids have them.
std::shared_ptr<const Graph> SimulatedGraph(const Schedule& schedule,
                                            uint32_t num_partitions,
                                            std::vector<uint32_t> partitions);
// Another graph, for a server that nobody must ask.
std::shared_ptr<const Graph> StrangersGraph();

// What the trainer `rank` of `world` makes of the graph; made once. Jobs
// differ in their random seed.
LoaderSession SimulatedSession(const Schedule& schedule, int64_t job,
                               uint32_t rank, uint32_t world);

// A batch as it must be.
struct ExpectedBatch {
  struct Tensor {
    std::string name;
    DType dtype;
    Shape shape;
    std::vector<uint8_t> data;
  };
  std::vector<Tensor> tensors;
  std::string digest;
  uint64_t room_bytes = 0;

  static ExpectedBatch From(const BatchView& view, uint64_t room_bytes);
  // Names, types, shapes and bytes: what the digest covers.
  bool Matches(const BatchView& view) const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SAMPLED_GRAPH_H_
