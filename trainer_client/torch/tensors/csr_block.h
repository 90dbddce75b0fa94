// The edges that one GNN layer reads, grouped by destination (CSR). No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_CSR_BLOCK_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_CSR_BLOCK_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// A bipartite graph: messages flow from nodes [0, num_src) to nodes [0,
// num_dst), num_dst <= num_src. A layer reads the first num_src rows of its
// input and computes the first num_dst.
struct CsrBlock {
  int64_t num_src = 0;
  int64_t num_dst = 0;
  std::vector<int32_t> indptr;  // [num_dst + 1]
  std::vector<int32_t> src;     // [edges], in the batch's order per destination
};

// A batch's graph as the loader delivers it.
struct SampledHops {
  absl::Span<const int32_t> src;    // edge_index[0]
  absl::Span<const int32_t> dst;    // edge_index[1]
  absl::Span<const int64_t> nodes;  // num_sampled_nodes, [hops + 1]
  absl::Span<const int64_t> edges;  // num_sampled_edges, [hops]
  bool expand_all = false;          // sampled as DGL's blocks
};

// Returns one block per layer, in the order of layers; there are as many as
// hops. Layer l computes the nodes found before hop `hops - l`: what later
// layers do not read is left out (as by PyG's trim_to_layer, and in the last
// hop too). With expand_all a layer reads only the edges of its own hop, which
// sampled the whole frontier again. INVALID_ARGUMENT when an edge lies outside
// its hop's nodes or counts disagree.
absl::StatusOr<std::vector<CsrBlock>> LayerBlocks(const SampledHops& hops);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_CSR_BLOCK_H_
