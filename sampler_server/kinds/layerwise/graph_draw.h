// Draws the nodes of one layer out of all nodes of the graph: FastGCN (J. Chen,
// T. Ma and C. Xiao, ICLR 2018).
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_GRAPH_DRAW_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_GRAPH_DRAW_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "common/random/philox.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"
#include "sampler_server/kinds/shared/degree_table.h"

namespace tributary {

// k nodes, drawn with replacement in proportion to their out-degrees. Immutable
// once drawn.
class GraphDraw {
 public:
  // `table` is of out-degrees and must be summed up. DATA_LOSS: a node that was
  // drawn does not exist; CANCELLED and DEADLINE_EXCEEDED of `stop`.
  static absl::StatusOr<GraphDraw> Draw(const Graph& graph, int node_type,
                                        int edge_type, const DegreeTable& table,
                                        PhiloxKey key, uint32_t k,
                                        StopCheck* stop = nullptr);

  // Returns how often a node, by internal id, was drawn, divided by its
  // out-degree; 0 if never.
  double Share(uint64_t node) const;

  uint64_t bytes() const { return nodes_.capacity() * sizeof(Drawn); }
  // Memory of a draw of k nodes while it is made.
  static uint64_t BytesFor(uint32_t k) {
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
