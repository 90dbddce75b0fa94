// SEAL's enclosing subgraphs: M. Zhang and Y. Chen, "Link Prediction Based on
// Graph Neural Networks", NeurIPS 2018.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_ENCLOSING_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_ENCLOSING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_part.h"

namespace tributary {

// Leaves each link's own edges out of its tree, and labels the tree's nodes by
// their distances from its ends (double-radius node labeling). Of a batch whose
// induced edges are in the state, which outlives this. Not thread-safe.
class Enclosing {
 public:
  // `links` are numbered, all those of the batch, and outlive this.
  Enclosing(const GraphSchema& schema, const SamplingPlan& plan,
            const LinkPart& links, BatchState* state);

  // Drops the edges of the links' type and of its reverse between the two ends
  // of a tree's link, either way.
  void DropLinks();

  // What the two take beside the state, before them.
  uint64_t bytes() const;

  // Writes labels[node] of one tree after the other, until about `most_edges`
  // were looked at: 1 of the ends; of others 1 + min(x, y) + (d / 2) (d / 2 + d
  // mod 2 - 1), d = x + y, x the distance from the source without the
  // destination, y from the destination without the source, along edges of
  // every type in either direction; 0 where one is none. True once all are
  // written. After DropLinks; `labels` is [nodes] and zero at first.
  bool Label(absl::Span<int64_t> labels, uint64_t most_edges);

 private:
  void DropFrom(EdgeTypeState& type, absl::Span<const uint32_t> partner) const;
  void JoinEdges();
  void Measure(uint32_t from, uint32_t without, std::vector<int32_t>* distance);

  const GraphSchema& schema_;
  const SamplingPlan& plan_;
  const int edge_type_;  // of the links
  const absl::Span<const uint32_t> sources_, destinations_;
  BatchState* const state_;
  const size_t num_nodes_;
  size_t next_tree_ = 0;
  uint64_t looked_at_ = 0;
  // Ends of edges by node, either way.
  std::vector<uint64_t> begin_;
  std::vector<uint32_t> ends_;
  std::vector<int32_t> from_source_, from_destination_;  // -1: not reached
  std::vector<uint32_t> reached_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_ENCLOSING_H_
