// The edges that each layer of a GNN reads, by relation and grouped by
// destination (CSR). No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_SAMPLED_LAYERS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_SAMPLED_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// The edges of one relation as the loader delivers them.
struct SampledRelation {
  size_t src_type = 0;  // indices into SampledHops::nodes
  size_t dst_type = 0;
  absl::Span<const int32_t> src;    // edge_index[0]
  absl::Span<const int32_t> dst;    // edge_index[1]
  absl::Span<const int64_t> edges;  // num_sampled_edges, [hops]
};

// A batch's graph as the loader delivers it.
struct SampledHops {
  size_t hops = 0;
  // By node type: num_sampled_nodes, [hops + 1]; empty: no nodes of the type.
  std::vector<absl::Span<const int64_t>> nodes;
  std::vector<SampledRelation> relations;
  bool expand_all = false;  // sampled as DGL's blocks
};

// Edges grouped by destination. A group's edges are in the batch's order.
struct EdgeCsr {
  size_t relation = 0;          // index into SampledHops::relations
  std::vector<int32_t> indptr;  // [destinations + 1]
  std::vector<int32_t> src;     // [edges]
  std::vector<int32_t> edge;    // [edges], positions in the batch's edges
};

// The part of an EdgeCsr that a layer reads: its first num_dst destinations and
// their num_edges edges.
struct CsrPrefix {
  size_t csr = 0;  // index into SampledLayers::csrs
  int64_t num_src = 0;
  int64_t num_dst = 0;
  int64_t num_edges = 0;
};

// By node type, the layer reads the first num_src rows of its input and
// computes the first num_dst.
struct SampledLayer {
  std::vector<int64_t> num_src;
  std::vector<int64_t> num_dst;
  std::vector<CsrPrefix> relations;  // those with edges, ascending
};

// All layers of a batch; as many as hops. Layers share a relation's CSR where
// each node's edges were sampled in one hop.
struct SampledLayers {
  std::vector<EdgeCsr> csrs;
  std::vector<SampledLayer> layers;  // in the order of computation
};

// Layer l computes the nodes found before hop `hops - l`: what later layers do
// not read is left out (as by PyG's trim_to_layer, and in the last hop too).
// With expand_all a layer reads only the edges of its own hop, which sampled
// the whole frontier again. INVALID_ARGUMENT when an edge lies outside its
// hop's nodes or counts disagree.
absl::StatusOr<SampledLayers> MakeLayers(const SampledHops& hops);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_SAMPLED_LAYERS_H_
