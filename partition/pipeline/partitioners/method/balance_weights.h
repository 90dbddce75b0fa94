// The weights of nodes that partitions share equally.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_BALANCE_WEIGHTS_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_BALANCE_WEIGHTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"
#include "partition/pipeline/partitioners/method/partition_options.h"
#include "partition/source/graph_source.h"

namespace tributary {

// One thing of which all partitions shall have equal shares. Each node has a
// weight, a whole number.
struct BalanceConstraint {
  enum class Weight { kOne, kInDegree, kTrain };
  std::string name;  // "nodes", "edges", "train", "type paper"
  Weight weight = Weight::kOne;
  int type = -1;       // the node type that it concerns; -1: all
  uint64_t total = 0;  // of all nodes
};

// The constraints of a graph. Immutable and thread-safe.
class BalanceWeights {
 public:
  // Makes the constraints that `balance` asks for, or that of nodes for none:
  // nodes, edges, train, and one for each node type that has nodes. The weight
  // for edges is the number of edges that lead to a node and that the graph
  // would store, before dedupe, up to 2^32 - 1; it takes a pass over the ends
  // and 4 bytes per node. A node of any split named "train" has the weight 1
  // for train; 1 bit per node. INVALID_ARGUMENT if there is no such split or no
  // edge; OUT_OF_RANGE for one of an id that is no node.
  static absl::StatusOr<BalanceWeights> Make(const GraphSource& graph,
                                             const JointNodes& nodes,
                                             const BalanceOptions& balance);
  // Returns the memory that Make's result holds.
  static uint64_t Bytes(const JointNodes& nodes, const BalanceOptions& balance);

  const std::vector<BalanceConstraint>& constraints() const {
    return constraints_;
  }
  // Returns the weight of the node of joint number `v`, of the type `type`.
  uint64_t Weight(const BalanceConstraint& constraint, int type,
                  uint64_t v) const {
    if (constraint.type >= 0 && constraint.type != type) return 0;
    switch (constraint.weight) {
      case BalanceConstraint::Weight::kInDegree:
        return in_degree_[v];
      case BalanceConstraint::Weight::kTrain:
        return is_train_[v] ? 1 : 0;
      case BalanceConstraint::Weight::kOne:
        break;
    }
    return 1;
  }

 private:
  absl::Status CountInDegrees(const GraphSource& graph,
                              const JointNodes& nodes);
  absl::Status MarkTrain(const GraphSource& graph, const JointNodes& nodes);

  std::vector<BalanceConstraint> constraints_;
  std::vector<uint32_t> in_degree_;  // by joint number; empty if not asked for
  std::vector<bool> is_train_;
};

// Returns the largest weight of a partition: ceil(total * permille / (1000 *
// parts)). Requires total * permille < 2^127.
uint64_t BalanceCapacity(uint64_t total, uint32_t permille, uint32_t parts);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METHOD_BALANCE_WEIGHTS_H_
