// docs/sampling.md written down once more, as directly and as slowly as it
// reads: what the engine is compared with.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ORACLE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ORACLE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/session/spec_builder.h"
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

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ORACLE_H_
