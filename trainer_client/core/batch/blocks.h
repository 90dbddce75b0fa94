// Views of a batch as DGL's message-flow blocks, one for each layer of a model.
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

// The original ids of one type's nodes: block.srcdata[dgl.NID] and
// block.dstdata[dgl.NID]. Destinations are the first of the sources, as in
// DGL's to_block; a node's index here is its row of x and y.
struct BlockNodes {
  absl::Span<const int64_t> src;
  absl::Span<const int64_t> dst;
};

// The edges of one type: block.edges(), as indices into BlockNodes, and
// edata[dgl.EID].
struct BlockEdges {
  absl::Span<const int32_t> src;
  absl::Span<const int32_t> dst;
  absl::Span<const int64_t> e_id;         // empty with omit_edge_ids
  std::optional<TensorView> edge_attr;    // [E, D]
  std::optional<TensorView> edge_weight;  // [E] with LABOR or layers
};

// The nodes and edges of one layer, by node type and by edge type
// "src,rel,dst". A homogeneous graph has the types `node` and `node,to,node`.
struct Block {
  std::map<std::string, BlockNodes, std::less<>> nodes;
  std::map<std::string, BlockEdges, std::less<>> edges;
};

// Returns the blocks in DGL's order: block 0 is that of the first layer, which
// reads x of all nodes; the destinations of the last are the inputs. The batch
// must outlive the views.
//
// Meant for sessions with expand_all, DGL's way to sample: blocks of others
// (PyG's hops) lack the edges of nodes that were found before the hop.
//
// DATA_LOSS, naming the tensor, if it is no batch of the graph.
// INVALID_ARGUMENT for a batch without counts per hop, and for an edge that
// does not end at a destination, as in sessions whose edge_dir is not `in`.
absl::StatusOr<std::vector<Block>> ToBlocks(const BatchView& batch,
                                            const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_BLOCKS_H_
