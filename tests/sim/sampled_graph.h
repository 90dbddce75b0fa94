// The graph that simulated fleets sample, and the batches they must make.
#ifndef TRIBUTARY_TESTS_SIM_SAMPLED_GRAPH_H_
#define TRIBUTARY_TESTS_SIM_SAMPLED_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/batch/batch_view.h"
#include "partition/format/graph.h"
#include "partition/format/hot_list.h"
#include "tests/hot/held_rows_of.h"
#include "tests/sim/schedule.h"
#include "trainer_client/core/loader_core.h"

namespace tributary {

inline constexpr int64_t kSimBatchSize = 3;

// Returns the partitions that a server owns: partition p belongs to the servers
// p, p + 1, ... modulo their number. A server that would own none gets one.
std::vector<uint32_t> PartitionsOfServer(const Schedule& schedule, int server);

// Returns the graph with those partitions. Runs share graphs, which are
// immutable. It has the weights, times or neighbours' ids that the schedule's
// draws need.
std::shared_ptr<const Graph> SimulatedGraph(const Schedule& schedule,
                                            uint32_t num_partitions,
                                            std::vector<uint32_t> partitions);
// Returns an order of the graph's rows; each `which` is another one.
std::shared_ptr<const HotList> SimulatedHotList(const Schedule& schedule,
                                                uint64_t which);
// Returns rows of the first of them, none yet, as the schedule's batches have
// them.
HeldRowsOf SimulatedHeldRows(const Schedule& schedule);

// Returns another graph, for a server that trainers must not ask.
std::shared_ptr<const Graph> StrangersGraph();

// Returns the session of trainer `rank` of `world`; made once. Jobs differ in
// their random seed.
LoaderSession SimulatedSession(const Schedule& schedule, int64_t job,
                               uint32_t rank, uint32_t world);

// A batch that must be delivered, as tensors and digest.
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
  // Whether names, types, shapes and bytes are equal: what the digest covers.
  bool Matches(const BatchView& view) const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_SIM_SAMPLED_GRAPH_H_
