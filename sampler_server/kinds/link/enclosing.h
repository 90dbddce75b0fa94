// Makes SEAL's enclosing subgraphs: M. Zhang and Y. Chen, "Link Prediction
// Based on Graph Neural Networks", NeurIPS 2018.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_ENCLOSING_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_ENCLOSING_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_part.h"

namespace tributary {

// Removes each link's own edges from its tree and labels the tree's nodes by
// their distances from the link's ends (double-radius node labeling). Requires
// a disjoint batch whose induced edges are in the state. Not thread-safe.
class Enclosing {
 public:
  // `links` are all links of the batch and have numbers. All arguments outlive
  // this. When `stop`, which may be null, says so, the methods return early and
  // leave an incomplete state.
  Enclosing(const GraphSchema& schema, const SamplingPlan& plan,
            const LinkPart& links, BatchState* state,
            StopCheck* stop = nullptr);

  // Drops the edges, in both directions, between the two ends of each tree's
  // link, of the links' type and of its reverse type.
  void DropLinks();

  // Returns the memory that DropLinks and Label take beside the state. Valid
  // before they are called.
  uint64_t bytes() const;

  // Writes labels[node], tree after tree, until about `most_edges` edges were
  // looked at. Returns true once all are written; else call again. The label is
  // 1 for the link's ends, else 1 + min(x, y) + (d / 2) (d / 2 + d mod 2 - 1)
  // with d = x + y: x is the distance from the source in the tree without the
  // destination, y that from the destination without the source, along edges of
  // all types in either direction. It is 0 if x or y does not exist. After
  // DropLinks; `labels` is [nodes] and zero before the first call.
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
  StopCheck* const stop_;
  const size_t num_nodes_;
  size_t next_tree_ = 0;
  uint64_t looked_at_ = 0;
  // Neighbours of each node, along edges in either direction.
  std::vector<uint64_t> begin_;
  std::vector<uint32_t> ends_;
  std::vector<int32_t> from_source_, from_destination_;  // -1: not reached
  std::vector<uint32_t> reached_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_ENCLOSING_H_
