// Moves nodes out of partitions that METIS has left too heavy.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_BALANCE_REPAIR_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_BALANCE_REPAIR_H_

#include <metis.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "partition/pipeline/partitioners/metis/undirected_graph.h"

namespace tributary {

// The weights of all nodes, those of a node side by side, and their totals.
struct VertexWeights {
  size_t num_constraints = 1;
  std::vector<idx_t> values;  // empty: all are 1
  std::vector<uint64_t> totals;
  std::vector<std::string> names;  // of the constraints, for messages

  uint64_t of(size_t v, size_t constraint) const {
    if (values.empty()) return 1;
    return static_cast<uint64_t>(values[v * num_constraints + constraint]);
  }
};

// The weights of partitions in each constraint, and what they may be. Holds a
// number for each partition and constraint; references all arguments. Not
// thread-safe.
class BalanceRepair {
 public:
  BalanceRepair(const UndirectedGraph& graph, const VertexWeights& weights,
                uint32_t parts, uint32_t imbalance_permille,
                absl::Span<idx_t> part);

  // Moves nodes, in order, from partitions above a capacity to those with room
  // for them, first where it costs no cut edge, then where it costs more and
  // more. Deterministic. Some may remain: see Excess.
  void Run();
  // Returns by how much the heaviest partition exceeds its capacity, in
  // thousandths of the mean, at least 1; 0 if none does.
  uint64_t Excess() const;
  // Returns the constraints that Excess counts, each with the weight of its
  // heaviest partition in means: "train 1.310, edges 1.045".
  std::string ExcessText() const;

 private:
  uint64_t& load(size_t constraint, size_t partition) {
    return load_[constraint * parts_ + partition];
  }
  uint64_t load(size_t constraint, size_t partition) const {
    return load_[constraint * parts_ + partition];
  }
  bool MustLeave(size_t v) const;
  bool Fits(size_t v, size_t partition) const;
  void Pass(int64_t max_cost);
  void Move(size_t v, size_t to);

  const UndirectedGraph& graph_;
  const VertexWeights& weights_;
  const size_t parts_;
  const absl::Span<idx_t> part_;
  std::vector<uint64_t> capacity_;  // by constraint
  std::vector<uint64_t> load_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_BALANCE_REPAIR_H_
