// Digests of batches of the neighbour kind, computed straight from
// docs/sampling.md: what tests compare the engine's batches with.
//
// A second, slow implementation: it works on original ids, one edge after
// another, without partitions, SIMD or code of the engine.
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

// Returns whether edge `e` of the graph's edge type `type` may not be sampled,
// whatever the options. Empty: every edge may be.
using EdgeExcluder = std::function<bool(size_t type, size_t e)>;

// Returns the digest, in hexadecimal, of the batch of these inputs.
// `input_number`, `original_id` and, of a session with given times,
// `input_time` have one entry per input; where options ask for the nodes' own
// times, those of the graph are used.
std::string ExpectedDigest(const MemoryGraphSpec& graph,
                           const SpecOptions& options, uint64_t epoch,
                           uint64_t index,
                           const std::vector<int64_t>& input_number,
                           const std::vector<int64_t>& original_id,
                           const std::vector<int64_t>& input_time,
                           const EdgeExcluder& excludes = {});

// A node in the first hop's frontier. All are in tree 0 unless batches are
// disjoint.
struct HopStart {
  std::string type;
  int64_t tree = 0;
  int64_t id = 0;  // negative: no node, but the batch has the type
};

// Called with the complete subgraph: may remove edges, and returns the tensors
// that a kind adds to the batch.
using SubgraphFinisher = std::function<ExpectedTensors(
    const ExpectedNodeTypes& nodes, ExpectedEdgeTypes& edges)>;

// Returns the digest of a batch whose hops begin at `starts`, which get local
// numbers in this order. `own` maps these local numbers to the kind's own
// tensors. `tree_time` has the time of each tree, in a session with times.
std::string ExpectedDigestFrom(
    const MemoryGraphSpec& graph, const SpecOptions& options, uint64_t epoch,
    uint64_t index, const std::vector<HopStart>& starts,
    const std::vector<int64_t>& tree_time,
    const std::function<ExpectedTensors(const std::vector<int32_t>& local)>&
        own,
    const EdgeExcluder& excludes = {}, const SubgraphFinisher& after = {});

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_BATCH_H_
