// Draws the nodes of one layer out of all nodes of the graph: FastGCN (J. Chen,
// T. Ma and C. Xiao, ICLR 2018).
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_GRAPH_DRAW_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_GRAPH_DRAW_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/random/philox.h"
#include "partition/format/graph.h"
#include "sampler_server/kinds/shared/degree_table.h"

namespace tributary {

// k nodes, with replacement, in proportion to the edges that lead from them.
class GraphDraw {
 public:
  // `table` is of out-degrees, and summed up. DATA_LOSS for a node that is
  // none.
  static absl::StatusOr<GraphDraw> Draw(const Graph& graph, int node_type,
                                        int edge_type, const DegreeTable& table,
                                        PhiloxKey key, uint32_t k);

  // Of an internal id: how often it was drawn over its out-degree; 0: never.
  double Share(uint64_t node) const;

  uint64_t bytes() const { return nodes_.capacity() * sizeof(Drawn); }
  static uint64_t BytesFor(uint32_t k) {  // and its draws
    return k * (sizeof(Drawn) + 2 * sizeof(uint64_t));
  }

 private:
  struct Drawn {
    uint64_t node = 0;
    double share = 0;
  };
  std::vector<Drawn> nodes_;  // ascending
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_GRAPH_DRAW_H_
