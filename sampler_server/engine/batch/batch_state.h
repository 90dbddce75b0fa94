// The nodes, edges and tensors that a batch task has found so far.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STATE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STATE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "common/batch/compact/compact_form.h"
#include "common/tensor/tensor_view.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/gather/left_out_nodes.h"
#include "sampler_server/engine/hop/excluded_edges.h"
#include "sampler_server/engine/ids/local_numbering.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// The edges of one type that one hop has sampled, ordered by frontier node.
struct SampledHop {
  uint32_t first_local = 0;  // local number of the first frontier node
  // The number that the first new source got, where sources are numbered as
  // they are found. A guess is enough: it makes compact edges smaller.
  uint32_t first_new = 0;
  std::vector<uint32_t> counts;   // edges of each frontier node
  std::vector<uint32_t> src;      // local number of each edge's source
  std::vector<int64_t> edge_ids;  // empty unless plan.holds_edge_ids()
  // Where the rows of edge_attr are; empty if the batch has none. Each edge's
  // position in its partition, and the partition of each frontier node or, if
  // edges are not stored with their destinations, of each edge.
  std::vector<uint64_t> positions;
  std::vector<uint32_t> owners;
  std::vector<uint32_t> edge_owners;

  // If there are positions, valid after DropWritten, too.
  size_t num_edges() const { return std::max(src.size(), positions.size()); }

  // Frees the arrays that are in the batch's room by now. Those that find
  // edge_attr stay.
  void DropWritten() {
    FreeMemory(src);
    FreeMemory(edge_ids);
    if (positions.empty()) FreeMemory(counts);
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
  LocalNumbering numbering;  // of internal ids; in disjoint batches of TreeIds
  // The nodes to expand in this hop: local numbers [frontier_begin,
  // frontier_end).
  size_t frontier_begin = 0;
  size_t frontier_end = 0;
  std::vector<int64_t> per_hop;  // num_sampled_nodes
  // Nodes that a batch which is too large would have and that have no number.
  uint64_t unnumbered = 0;
  // Rows that are not gathered, found before the batch is laid out.
  LeftOutNodes left_out;
};

// How the edges of one type's tensors are encoded for the network.
struct CompactEdges {
  CompactEdgeIndex edge_index;  // without runs: as it is
  uint8_t id_bytes = 0;         // of a number of e_id; 0: as it is
};

struct EdgeTypeState {
  std::vector<SampledHop> hops;  // those that have edges
  std::vector<int64_t> per_hop;  // num_sampled_edges
  uint64_t edges = 0;            // lower bound of the batch's edges
  // The form of the tensors, with the first type that shares them; found before
  // the batch is laid out.
  CompactEdges compact;
};

// A tensor that only one kind of sampling has.
struct KindTensor {
  std::string name;  // with its suffix
  DType dtype = DType::kInt64;
  Shape shape;
  std::vector<uint8_t> bytes;  // empty: BatchProgram::Finish writes it
};

// Owned by the task (TaskControl), filled by its steps. One strand.
struct BatchState {
  BatchState() = default;
  BatchState(const GraphSchema& schema, const SamplingPlan& plan, size_t inputs)
      : num_inputs(inputs),
        trees(plan.disjoint ? static_cast<uint32_t>(inputs) : 0) {
    for (const NodeTypeSchema& type : schema.node_types) {
      nodes.emplace_back(static_cast<uint64_t>(type.num_nodes) *
                         std::max<uint64_t>(1, trees));
    }
    edges.resize(plan.edge_types.size());
  }

  std::vector<NodeTypeState> nodes;  // by node type of the schema
  std::vector<EdgeTypeState> edges;  // by edge type of the plan
  uint64_t num_inputs = 0;
  std::vector<uint32_t> seed_index;  // local number of each node input
  uint64_t unique_inputs = 0;
  uint32_t trees = 0;              // num_inputs of a disjoint batch; else 0
  std::vector<int64_t> tree_time;  // by tree; empty without times
  // Edges that are not sampled, by edge type of the plan; empty if there are
  // none. Filled before the first hop.
  std::vector<ExcludedEdges> excluded;
  std::vector<KindTensor> tensors;  // beside those that all kinds have

  // Frees what is in the batch's room by now.
  void DropWritten() {
    for (EdgeTypeState& type : edges) {
      for (SampledHop& hop : type.hops) hop.DropWritten();
    }
    for (KindTensor& tensor : tensors) {
      FreeMemory(tensor.bytes);
    }
  }

  // Working memory held, without the few bytes of each hop and type.
  size_t bytes() const {
    size_t sum = seed_index.size() * sizeof(uint32_t) +
                 tree_time.size() * sizeof(int64_t);
    for (const ExcludedEdges& type : excluded) sum += type.bytes();
    for (const KindTensor& tensor : tensors) sum += tensor.bytes.capacity();
    for (const NodeTypeState& type : nodes) {
      sum += type.numbering.bytes() + type.left_out.bytes();
    }
    for (const EdgeTypeState& type : edges) {
      for (const SampledHop& hop : type.hops) sum += hop.bytes();
    }
    return sum;
  }
};

// Returns where the edges of each of the planned type's `hops` begin in its
// tensors. Hops follow each other; if several types share tensors, the edges of
// a hop lie together, type after type.
std::vector<uint64_t> FirstEdges(const SamplingPlan& plan,
                                 const BatchState& state, size_t planned);

// A hop's edges in the tensors that it goes to.
struct HopEdgesInTensor {
  uint64_t first = 0;  // the first one's place
  const SampledHop* hop = nullptr;
  bool reversed = false;  // PlannedEdgeType::emitted_as
};
// Returns the hops in the order of the tensors of a planned type that shares no
// other's, with those of the types that share its own.
std::vector<HopEdgesInTensor> HopsOfTensor(const SamplingPlan& plan,
                                           const BatchState& state,
                                           size_t planned);

// Returns the number of edges in the tensors of a planned type, which it may
// share.
uint64_t NumTensorEdges(const SamplingPlan& plan, const BatchState& state,
                        size_t planned);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_BATCH_BATCH_STATE_H_
