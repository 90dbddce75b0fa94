// Which edges a batch of neighbours holds, beyond those that were drawn.
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
  kBidirectional,  // they and their mirror images
  kInduced,        // all edges between the nodes
};

// In-edges that are looked at for one batch of induced edges, where nobody says
// otherwise: about half a second of one core.
inline constexpr uint64_t kDefaultMaxScannedEdges = uint64_t{1} << 28;
inline constexpr uint64_t kMaxScannedEdges = (uint64_t{1} << 32) - 1;

struct SubgraphOptions {
  SubgraphType type = SubgraphType::kDirectional;
  // A batch whose nodes have more in-edges than this is refused: what a hub
  // may cost others. kInduced alone looks at them.
  uint64_t max_scanned_edges = kDefaultMaxScannedEdges;
  friend bool operator==(const SubgraphOptions&,
                         const SubgraphOptions&) = default;
};

// Writes the options; what is not asked for stays absent.
void FillSubgraph(const SubgraphOptions& options,
                  v1::NeighborSampling* neighbor);

// What they may be beside the draws. INVALID_ARGUMENT with the field, its value
// and what is allowed.
absl::Status CheckSubgraph(const v1::NeighborSampling& neighbor);
// ... and of the neighbours of any kind: links have directional ones.
absl::Status CheckSubgraph(const v1::SessionSpec& spec);

// The same of options that are no specification yet.
absl::Status CheckSubgraphOptions(const SubgraphOptions& options,
                                  const DrawOptions& draws);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_SESSION_SUBGRAPH_OPTIONS_H_
