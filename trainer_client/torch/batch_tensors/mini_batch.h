// A batch as models read it: features by node type, edges by layer.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_MINI_BATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_MINI_BATCH_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/torch/batch_tensors/device_copies.h"

namespace tributary {

// The node and edge types that batches of a session may have; the order of
// MiniBatch's vectors. A homogeneous graph has the node type `node` and the
// edge type `node,to,node`.
struct TypeTable {
  struct Relation {
    std::string name;     // "src,rel,dst"
    size_t src_type = 0;  // index into node_types
    size_t dst_type = 0;
  };
  std::vector<std::string> node_types;  // ascending
  std::vector<Relation> relations;      // ascending by name
  // By node type: columns of x; 0: the type has no features.
  std::vector<int64_t> feature_dim;
  // By node type: nodes in the whole graph.
  std::vector<int64_t> num_nodes;

  static TypeTable From(const GraphSchema& schema);
  // Returns the index of a node type; -1 if there is none.
  int NodeType(std::string_view name) const;
};

// The edges of one relation that one layer reads, grouped by destination (CSR).
// Its tensors are on the model's device and own their memory.
struct RelationBlock {
  size_t relation = 0;  // index into TypeTable::relations
  int64_t num_src = 0;  // rows of the source type that the layer reads
  int64_t num_dst = 0;  // rows of the destination type that it computes
  at::Tensor indptr;    // int32 [num_dst + 1]
  at::Tensor src;       // int32 [edges], rows of the source type
  // int32 [edges]: each edge's position among the batch's edges of the
  // relation, for edge attributes and weights.
  at::Tensor edge;

  int64_t num_edges() const { return src.numel(); }
};

// What one layer of a model reads and computes. By node type, it reads the
// first num_src rows of its input and computes the first num_dst: what later
// layers do not read is left out (as by PyG's trim_to_layer).
struct LayerGraph {
  std::vector<int64_t> num_src;          // by node type
  std::vector<int64_t> num_dst;          // by node type
  std::vector<RelationBlock> relations;  // those with edges, ascending
};

// Tensors by node type, in the order of TypeTable::node_types; undefined where
// there are none.
using TypeTensors = std::vector<at::Tensor>;

// The links of one edge type in a batch, with their negatives: either the first
// two tensors (binary) or the last three (triplet) are defined. Indices are
// rows of the source or destination type. All are on the model's device, but
// input_id.
struct LinkLabels {
  size_t relation = 0;
  at::Tensor input_id;          // int64 [n], numbers in the type's list
  at::Tensor edge_label_index;  // int64 [2, n + m]
  at::Tensor edge_label;        // float32 [n + m]
  at::Tensor src_index;         // int64 [n]
  at::Tensor dst_pos_index;     // int64 [n]
  at::Tensor dst_neg_index;     // int64 [n, amount]
};

// A batch of any graph on a model's device. Its tensors keep what they need,
// the batch's slot too: drop the lease, and soon the MiniBatch.
struct MiniBatch {
  uint64_t epoch = 0;
  uint64_t index = 0;  // of the batch, within its epoch
  // The key of all random draws of a training step on this batch, such as
  // dropout: a function of the job's seed, the epoch and the batch's index, and
  // of no rank, so that a resumed run draws the same.
  uint64_t draw_key = 0;
  TypeTensors x;     // float32 [N, F]; undefined: the type has no features
  TypeTensors n_id;  // int64 [N], original ids
  std::vector<LayerGraph> layers;  // in the order in which they are computed
  // By relation, where the session collects degrees: the numbers of edges in
  // the whole graph, int64 [N]: in_degree of nodes of its destination type,
  // out_degree of nodes of its source type. Undefined elsewhere.
  std::vector<at::Tensor> in_degree;
  std::vector<at::Tensor> out_degree;
  // By relation: edge_attr as float32 [E, D]; undefined where there is none.
  std::vector<at::Tensor> edge_attr;

  // Batches of nodes: the inputs.
  size_t input_type = 0;  // index into TypeTable::node_types
  at::Tensor seed_index;  // int32 [positions], each input's row
  at::Tensor input_id;    // int64 [positions], numbers in the list of inputs
  // Each input's labels as they are stored, of any type, [positions] or
  // [positions, C], on the CPU; undefined: the type has none. Tasks read them
  // by tasks/node/labels.h.
  at::Tensor y;

  // Batches of links, by edge type; empty in batches of nodes.
  std::vector<LinkLabels> links;
};

struct MiniBatchOptions {
  bool expand_all = false;     // must equal the loader's option
  bool row_normalize = false;  // divide each row of x by its sum
  uint64_t random_seed = 0;    // of draw_key
  uint64_t epoch = 0;
};

// Copies the batch to `device` by `copies`, which keeps the lease alive as long
// as copies read from it. INVALID_ARGUMENT for a batch without counts by hop,
// INTERNAL for what the device reports. May throw what LibTorch throws.
absl::StatusOr<MiniBatch> MakeMiniBatch(const BatchLease& lease,
                                        const GraphSchema& schema,
                                        const TypeTable& types,
                                        const MiniBatchOptions& options,
                                        const c10::Device& device,
                                        DeviceCopies& copies);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_MINI_BATCH_H_
