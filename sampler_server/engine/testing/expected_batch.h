// docs/sampling.md written down once more, as directly and as slowly as it
// reads: what the engine is compared with.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_BATCH_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_BATCH_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/session/spec_builder.h"
#include "sampler_server/engine/testing/expected_nodes.h"
#include "sampler_server/engine/testing/expected_tensors.h"
#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// Edges that a batch may not draw, whatever the options: edge `e` of the
// graph's edge type `type`.
using OracleExcludes = std::function<bool(size_t type, size_t e)>;

// The digest of a batch of these inputs, whose times are given or, where that
// is asked for, the nodes' own. Knows original ids only: partitions
// do not exist here.
std::string OracleDigest(const MemoryGraphSpec& graph,
                         const SpecOptions& options, uint64_t epoch,
                         uint64_t index,
                         const std::vector<int64_t>& input_number,
                         const std::vector<int64_t>& original_id,
                         const std::vector<int64_t>& input_time,
                         const OracleExcludes& excludes = {});

// A node that hops begin at; all are in tree 0 unless batches are disjoint.
struct OracleStart {
  std::string type;
  int64_t tree = 0;
  int64_t id = 0;  // below 0: none, but batches have the type
};

// What a kind makes of the subgraph once it is there: it may leave out edges,
// and gives tensors of its own.
using OracleAfter = std::function<OracleTensors(const OracleNodeTypes& nodes,
                                                OracleEdgeTypes& edges)>;

// The digest of a batch whose hops begin at `starts`, numbered in this order,
// with the tensors that `own` makes of their local numbers. `tree_time`: of a
// session with times, each tree's.
std::string OracleDigestFrom(
    const MemoryGraphSpec& graph, const SpecOptions& options, uint64_t epoch,
    uint64_t index, const std::vector<OracleStart>& starts,
    const std::vector<int64_t>& tree_time,
    const std::function<OracleTensors(const std::vector<int32_t>& local)>& own,
    const OracleExcludes& excludes = {}, const OracleAfter& after = {});

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_BATCH_H_
