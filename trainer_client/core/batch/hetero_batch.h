// Views of a batch of a typed graph by node and edge type: PyG's HeteroData.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_HETERO_BATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_HETERO_BATCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/batch/batch_view.h"
#include "common/tensor/tensor_view.h"
#include "partition/schema/schema.h"

namespace tributary {

// The nodes of one type: data["person"]. Local numbers are indices into n_id.
struct HeteroNodes {
  absl::Span<const int64_t> n_id;               // [N] original ids
  absl::Span<const int64_t> num_sampled_nodes;  // [hops + 1], sums to N
  std::optional<TensorView> x;                  // [N, F]
  std::optional<TensorView> x_scale;            // [N] where x became int8
  std::optional<TensorView> y;                  // [N] or [N, C]
  std::optional<TensorView> batch;  // [N] each node's tree, if disjoint
  std::optional<TensorView> z;      // [N] labels, in enclosing subgraphs
};

// The edges of one type: data["author", "writes", "paper"].
struct HeteroEdges {
  // [E] edge_index: local numbers in the source and the destination type
  absl::Span<const int32_t> src;
  absl::Span<const int32_t> dst;
  absl::Span<const int64_t> e_id;               // [E]; empty with omit_edge_ids
  absl::Span<const int64_t> num_sampled_edges;  // [hops], sums to E; empty
                                                // where edges are of no hop
  std::optional<TensorView> edge_attr;          // [E, D]
  std::optional<TensorView> edge_attr_scale;    // [E] where that became int8
  std::optional<TensorView> edge_weight;        // [E] with LABOR or layers
  // Numbers of edges of the type in the whole graph, where the session collects
  // degrees: into each node of the destination type, out of each of the
  // source's.
  std::optional<TensorView> in_degree;
  std::optional<TensorView> out_degree;
};

// The links of one type: data["author", "writes", "paper"] of a batch of links.
// All have input_id; `triplet` batches have the last four, others the three
// before these.
struct HeteroLinks {
  absl::Span<const int64_t> input_id;  // [n] indices into the type's list
  // For n links and m negatives, local numbers in source and destination type.
  std::optional<TensorView> edge_label_index;  // [2, n + m]
  std::optional<TensorView> edge_label;        // [n + m]
  std::optional<TensorView> edge_label_time;   // [n + m]
  std::optional<TensorView> src_index;         // [n] in the source type
  std::optional<TensorView> dst_pos_index;     // [n] in the destination type
  std::optional<TensorView> dst_neg_index;     // [n] or [n, amount], likewise
  std::optional<TensorView> seed_time;         // [n]
};

// A batch by types. Holds views of the batch that it was made from, which must
// outlive it.
struct HeteroBatch {
  // In batches of links, instead of the four fields below: by supervision type,
  // "src,rel,dst".
  std::map<std::string, HeteroLinks, std::less<>> links;
  std::string input_type;
  int64_t batch_size = 0;                // distinct inputs: the nodes 0, 1, ...
  absl::Span<const int64_t> input_id;    // [positions] indices into the inputs
  absl::Span<const int32_t> seed_index;  // [positions] each input's node
  // The session's types by name; a type without nodes in the batch is empty.
  std::map<std::string, HeteroNodes, std::less<>> nodes;
  std::map<std::string, HeteroEdges, std::less<>> edges;  // "src,rel,dst"
};

// Returns the batch of a typed graph by its types. INVALID_ARGUMENT for a
// homogeneous graph; DATA_LOSS, naming the tensor, for one that a batch of the
// graph does not have.
absl::StatusOr<HeteroBatch> ToHeteroBatch(const BatchView& batch,
                                          const GraphSchema& schema);

// Converts a batch of any graph: a homogeneous one has the types `node` and
// `node,to,node`.
absl::StatusOr<HeteroBatch> ToTypedBatch(const BatchView& batch,
                                         const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_HETERO_BATCH_H_
