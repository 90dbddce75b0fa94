// Samples neighbours as if some edges were not in the graph.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_EXCLUDED_EDGES_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_EXCLUDED_EDGES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "trainer_client/graph/graph_lookups.h"
#include "trainer_client/graph/sample_options.h"
#include "trainer_client/graph/sampled_edges.h"

namespace tributary {

// Samples without exclusions; see DistGraph::SampleEtypeNeighbors.
using SampleFunction = std::function<absl::StatusOr<EdgesByType>(
    const NodesByType& nodes, const std::map<std::string, int32_t>& fanouts,
    const SampleOptions& options)>;

// Samples in-edges of nodes without options.exclude_edges. A node with m
// excluded in-edges of a type is sampled with a fanout of k + m; of what is not
// excluded then, k are kept: the first k of the keyed order of purpose
// "exclude,TYPE,INDEX,NODE". As the draw is uniform, so are those k among the
// edges that are left. The same on every fleet, as `sample` is. `fanouts` is by
// canonical name. Errors as SampleOptions says, and those of FindEdges and
// `sample`.
absl::StatusOr<EdgesByType> SampleWithoutEdges(
    const GraphLookups& lookups, const NodesByType& nodes,
    const std::map<std::string, int32_t>& fanouts, const SampleOptions& options,
    const SampleFunction& sample);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_EXCLUDED_EDGES_H_
