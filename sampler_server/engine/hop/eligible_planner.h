// Plans hops in which some edges may not be drawn.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_ELIGIBLE_PLANNER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_ELIGIBLE_PLANNER_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/text/status.h"
#include "sampler_server/engine/hop/eligible_drawer.h"
#include "sampler_server/engine/hop/hop_kernel.h"

namespace tributary {

// Serves the rows that have excluded edges, and leaves the others, nearly all,
// to `Base`, the planner of the kind of draw. `Base` plans every node: a lane
// that it assigned to an excluding row stays unused.
template <typename Base>
class ExcludingPlanner {
 public:
  static constexpr size_t kGroup = Base::kGroup;
  static constexpr bool kReadsRows = Base::kReadsRows;
  static constexpr bool kEmitsNone = false;

  explicit ExcludingPlanner(const HopSource& source)
      : query_(source.query), base_(source), drawer_(source) {}

  void PrefetchRow(uint64_t begin, uint64_t end) {
    base_.PrefetchRow(begin, end);
  }
  uint64_t Work(const HopNode& node) const {
    return node.excludes ? node.degree : base_.Work(node);
  }
  void Begin() { base_.Begin(); }
  bool HasRoom() const { return base_.HasRoom(); }
  void Add(HopNode& node) { base_.Add(node); }

  void Count(absl::Span<HopNode> nodes) {
    base_.Count(nodes);
    for (HopNode& node : nodes) {
      node.excludes = drawer_.MayExclude(query_.rows[node.index]);
      if (!node.excludes) continue;
      node.way = HopNode::Way::kRange;  // so that `Base` draws nothing for it
      node.drawn = drawer_.Count(node);
    }
  }

  void Draw(absl::Span<HopNode> nodes) { base_.Draw(nodes); }

  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    if (node.excludes) return drawer_.Emit(node, reader);
    base_.Emit(node, reader);
  }

  absl::Status Finish() const {
    RETURN_IF_ERROR(base_.Finish());
    return drawer_.Finish();
  }

 private:
  const HopQuery& query_;
  Base base_;
  EligibleDrawer drawer_;
};

// Runs a hop without a predicate by its planner.
template <typename Planner>
absl::Status RunPlanned(const HopSource& source, HopEdges* out) {
  if (source.query.excluded.empty()) return RunHop<Planner>(source, out);
  return RunHop<ExcludingPlanner<Planner>>(source, out);
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_ELIGIBLE_PLANNER_H_
