// Which edges a batch of neighbours holds in addition to those that were drawn.
#ifndef TRIBUTARY_COMMON_SESSION_SUBGRAPH_OPTIONS_H_
#define TRIBUTARY_COMMON_SESSION_SUBGRAPH_OPTIONS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "common/session/draw_options.h"

namespace tributary {

namespace v1 {
class NeighborSampling;
class SessionSpec;
}  // namespace v1

// PyG's SubgraphType.
enum class SubgraphType {
  kDirectional,    // the edges that were drawn
  kBidirectional,  // also the reverse of each drawn edge
  kInduced,        // all edges between the batch's nodes
};

// The default of max_scanned_edges: about half a second on one core.
inline constexpr uint64_t kDefaultMaxScannedEdges = uint64_t{1} << 28;
inline constexpr uint64_t kMaxScannedEdges = (uint64_t{1} << 32) - 1;

// A user's options for the edges of a batch.
struct SubgraphOptions {
  SubgraphType type = SubgraphType::kDirectional;
  // A batch whose nodes have more in-edges than this is refused, which limits
  // what a hub costs other users. Used by kInduced only, which scans the
  // in-edges.
  uint64_t max_scanned_edges = kDefaultMaxScannedEdges;
  friend bool operator==(const SubgraphOptions&,
                         const SubgraphOptions&) = default;
};

// Writes the options to `neighbor`. Options with their default value stay
// absent.
void FillSubgraph(const SubgraphOptions& options,
                  v1::NeighborSampling* neighbor);

// Checks that the subgraph options may be combined with the draws of
// `neighbor`. INVALID_ARGUMENT with the field, its value and what is allowed.
absl::Status CheckSubgraph(const v1::NeighborSampling& neighbor);
// Like the above for the neighbours of any kind; links allow directional
// subgraphs only, unless they are enclosing.
absl::Status CheckSubgraph(const v1::SessionSpec& spec);

// Like the above, for options that are not in a specification yet.
absl::Status CheckSubgraphOptions(const SubgraphOptions& options,
                                  const DrawOptions& draws);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_SUBGRAPH_OPTIONS_H_
