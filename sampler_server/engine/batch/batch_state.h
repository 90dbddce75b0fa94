// What a batch task has found so far.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STATE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STATE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/tensor/tensor_view.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/hop/excluded_edges.h"
#include "sampler_server/engine/ids/local_numbering.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// The edges of one type that one hop found, by frontier node.
struct SampledHop {
  uint32_t first_local = 0;      // the frontier is numbered from here on
  std::vector<uint32_t> counts;  // per frontier node
  std::vector<uint32_t> src;     // local numbers of the neighbours
  std::vector<int64_t> edge_ids;
  std::vector<uint64_t> positions;  // in the partition; empty unless wanted
  std::vector<uint32_t> owners;     // partition per frontier node, if wanted
  // ... or per edge, where an edge is not stored with its destination.
  std::vector<uint32_t> edge_owners;

  // With positions also once it let go of what is in the batch.
  size_t num_edges() const { return std::max(src.size(), positions.size()); }

  // Lets go of what is in the batch; what finds edge_attr stays.
  void DropWritten() {
    LetGo(src);
    LetGo(edge_ids);
    if (positions.empty()) LetGo(counts);
  }

  size_t bytes() const {
    return (counts.capacity() + src.capacity() + owners.capacity() +
            edge_owners.capacity()) *
               sizeof(uint32_t) +
           (edge_ids.capacity() + positions.capacity()) * sizeof(uint64_t);
  }
};

struct NodeTypeState {
  explicit NodeTypeState(uint64_t num_ids) : numbering(num_ids) {}
  LocalNumbering numbering;   // internal ids; of disjoint batches TreeIds
  size_t frontier_begin = 0;  // local numbers to expand in this hop
  size_t frontier_end = 0;
  std::vector<int64_t> per_hop;  // num_sampled_nodes
  uint64_t unnumbered = 0;  // more that a batch which is too large would have
};

struct EdgeTypeState {
  std::vector<SampledHop> hops;  // without those that drew nothing
  std::vector<int64_t> per_hop;  // num_sampled_edges
  uint64_t edges = 0;            // at least so many will be in the batch
};

// A tensor of a kind's own.
struct KindTensor {
  std::string name;  // with its suffix
  DType dtype = DType::kInt64;
  Shape shape;
  std::vector<uint8_t> bytes;  // empty: BatchProgram::Finish writes it
};

struct BatchState {
  BatchState() = default;
  // `inputs`: positions of the batch.
  BatchState(const GraphSchema& schema, const SamplingPlan& plan, size_t inputs)
      : positions(inputs),
        trees(plan.disjoint ? static_cast<uint32_t>(inputs) : 0) {
    for (const NodeTypeSchema& type : schema.node_types) {
      nodes.emplace_back(static_cast<uint64_t>(type.num_nodes) *
                         std::max<uint64_t>(1, trees));
    }
    edges.resize(plan.edge_types.size());
  }

  std::vector<NodeTypeState> nodes;  // by node type of the schema
  std::vector<EdgeTypeState> edges;  // by edge type of the plan
  uint64_t positions = 0;            // inputs of the batch
  std::vector<uint32_t> seed_index;  // per node input, its local number
  uint64_t unique_inputs = 0;
  uint32_t trees = 0;              // of a disjoint batch: its positions
  std::vector<int64_t> tree_time;  // per tree, with times
  // By edge type of the plan; empty where a kind excludes nothing. Filled
  // before the first hop.
  std::vector<ExcludedEdges> excluded;
  std::vector<KindTensor> tensors;  // beside those that all kinds have

  // Lets go of what is in the batch.
  void DropWritten() {
    for (EdgeTypeState& type : edges) {
      for (SampledHop& hop : type.hops) hop.DropWritten();
    }
    for (KindTensor& tensor : tensors) {
      LetGo(tensor.bytes);
    }
  }

  // Working memory held, but for entries per hop and type.
  size_t bytes() const {
    size_t sum = seed_index.size() * sizeof(uint32_t) +
                 tree_time.size() * sizeof(int64_t);
    for (const ExcludedEdges& type : excluded) sum += type.bytes();
    for (const KindTensor& tensor : tensors) sum += tensor.bytes.capacity();
    for (const NodeTypeState& type : nodes) sum += type.numbering.bytes();
    for (const EdgeTypeState& type : edges) {
      for (const SampledHop& hop : type.hops) sum += hop.bytes();
    }
    return sum;
  }
};

// Of each of a planned type's `hops`, where its edges begin in their tensors:
// one after the other, or where several types share tensors each hop's edges of
// all of them together.
std::vector<uint64_t> FirstEdges(const SamplingPlan& plan,
                                 const BatchState& state, size_t planned);

// How many edges are in the tensors of a planned type.
uint64_t NumTensorEdges(const SamplingPlan& plan, const BatchState& state,
                        size_t planned);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STATE_H_
