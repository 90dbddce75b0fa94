// A batch as DGL's message-flow blocks, one for each layer of a model, as
// views.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_BLOCKS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_BLOCKS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/batch/batch_view.h"
#include "common/tensor/tensor_view.h"
#include "partition/schema/schema.h"

namespace tributary {

// block.srcdata[dgl.NID] and block.dstdata[dgl.NID] of one type: original ids.
// Destinations are the first of the sources, as DGL's to_block has them; a
// node's row of x and y is its place here.
struct BlockNodes {
  absl::Span<const int64_t> src;
  absl::Span<const int64_t> dst;
};

// block.edges() of one type, places in BlockNodes, and edata[dgl.EID].
struct BlockEdges {
  absl::Span<const int32_t> src;
  absl::Span<const int32_t> dst;
  absl::Span<const int64_t> e_id;
  std::optional<TensorView> edge_attr;    // [E, D]
  std::optional<TensorView> edge_weight;  // [E] of LABOR
};

// By node type and by edge type "src,rel,dst"; a homogeneous graph has the
// types `node` and `node,to,node`.
struct Block {
  std::map<std::string, BlockNodes, std::less<>> nodes;
  std::map<std::string, BlockEdges, std::less<>> edges;
};

// In DGL's order: block 0 is the first layer's, which reads x of all nodes, and
// the last has the inputs as destinations. The batch outlives the views. It is
// one of a session with expand_all, DGL's way to sample; blocks of another
// (PyG's hops) lack the edges of nodes that were found before the hop.
// DATA_LOSS, naming the tensor, when it is no batch of the graph;
// INVALID_ARGUMENT for one without counts per hop, and where an edge does not
// end at a destination: of a session whose edge_dir is not in.
absl::StatusOr<std::vector<Block>> ToBlocks(const BatchView& batch,
                                            const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_BLOCKS_H_
