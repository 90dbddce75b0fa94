#include <algorithm>
#include <array>
#include <vector>

#include "sampler_server/engine/draw/draw_lanes.h"
#include "sampler_server/engine/hop/hop_draws.h"

namespace tributary {
namespace {

// Draws among a node's rows of all types, one after another, and keeps the
// positions that lie in the row of the query's own type. kRange: all of that
// row, or nothing; kLane: drawn for with others; kAlone: large degrees and
// fanouts, drawn for again when they are emitted, so that no positions are held
// meanwhile.
class AcrossTypesPlanner {
 public:
  static constexpr size_t kGroup = kDrawLanes;  // a lane for each node
  static constexpr bool kReadsRows = false;
  static constexpr bool kEmitsNone = false;

  explicit AcrossTypesPlanner(const HopSource& source)
      : source_(source), query_(source.query) {}

  void PrefetchRow(uint64_t, uint64_t) {}
  uint64_t Work(const HopNode& node) const {
    const auto draws = static_cast<uint64_t>(query_.fanout);
    return query_.others.size() +
           (node.way == HopNode::Way::kRange ? node.drawn : draws);
  }
  void Begin() {}
  bool HasRoom() const { return true; }
  void Add(HopNode&) {}

  void Count(absl::Span<HopNode> nodes) {
    for (const HopNode& node : nodes) PrefetchOthers(node);
    bool any_lane = false;
    for (size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].lane = static_cast<uint32_t>(i);
      Place(nodes[i]);
      any_lane |= nodes[i].way == HopNode::Way::kLane;
    }
    if (any_lane) {
      draw_lanes_(query_.key, static_cast<uint32_t>(query_.fanout),
                  query_.replace, draws_);
    }
    for (HopNode& node : nodes) {
      if (node.way == HopNode::Way::kLane) KeepOfLane(node);
      if (node.way == HopNode::Way::kAlone) KeepAlone(node);
    }
  }

  void Draw(absl::Span<HopNode>) {}  // Count has

  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    const JoinedRow& row = rows_[node.lane];
    // Wraps around: the positions that are added to it are not below `before`.
    const uint64_t begin = node.begin - row.before;
    const uint64_t first = row.first_kept + node.skip;
    switch (node.way) {
      case HopNode::Way::kRange:
        return reader.AddRange(node.begin + node.skip, node.take);
      case HopNode::Way::kLane:
        return reader.AddLane(
            begin, draws_.position + node.lane + first * kDrawLanes, node.take);
      case HopNode::Way::kAlone:
        return reader.AddPositions(begin,
                                   DrawAlone(node).subspan(first, node.take));
    }
  }

  absl::Status Finish() const {
    if (!damaged_) return absl::OkStatus();
    return absl::DataLossError(
        "indptr of another edge type of the same destinations spans more "
        "edges than there are: verify the graph");
  }

 private:
  // The rows of a node in all types, as one.
  struct JoinedRow {
    uint64_t before = 0;      // degrees of the types before the query's
    uint64_t degree = 0;      // of all types
    uint64_t first_kept = 0;  // of the drawn positions
  };

  // A node without an edge of the query's type needs nothing of the others.
  void PrefetchOthers(const HopNode& node) const {
    if (node.degree == 0) return;
    const uint64_t row = query_.rows[node.index];
    for (const auto* types : {&query_.others.before, &query_.others.after}) {
      for (const EdgePartition* type : *types) {
        Prefetch(type->indptr.data() + row);
        Prefetch(type->indptr.data() + row + 1);
      }
    }
  }

  uint64_t DegreeIn(const std::vector<const EdgePartition*>& types,
                    uint64_t row) {
    uint64_t sum = 0;
    for (const EdgePartition* type : types) {
      const RowEnds ends = ReadRowEnds(type->indptr, row);
      if (ends.IsWithin(type->indices.size())) {
        sum += ends.end - ends.begin;
      } else {
        damaged_ = true;
      }
    }
    return sum;
  }

  // Finds the node's rows and decides how it is served.
  void Place(HopNode& node) {
    node.way = HopNode::Way::kRange;
    node.drawn = 0;
    if (node.degree == 0 || query_.fanout == 0) return;
    JoinedRow& row = rows_[node.lane];
    row.before = DegreeIn(query_.others.before, query_.rows[node.index]);
    row.degree = row.before + node.degree +
                 DegreeIn(query_.others.after, query_.rows[node.index]);
    if (TakesAll(row.degree, query_.fanout, query_.replace)) {
      node.drawn = node.degree;
    } else if (row.degree > kWideThreshold ||
               query_.fanout > static_cast<int32_t>(kMostLaneDraws)) {
      node.way = HopNode::Way::kAlone;
    } else {
      node.way = HopNode::Way::kLane;
      const NodeCounter counter = source_.counter(node.index);
      draws_.degree[node.lane] = static_cast<uint32_t>(row.degree);
      draws_.local_number[node.lane] = counter.local_number;
      draws_.tree[node.lane] = counter.tree;
    }
  }

  void KeepOfLane(HopNode& node) {
    JoinedRow& row = rows_[node.lane];
    const uint64_t end = row.before + node.degree;
    uint64_t below = 0, within = 0;
    for (int32_t i = 0; i < query_.fanout; ++i) {
      const uint64_t position = draws_.position[i * kDrawLanes + node.lane];
      below += position < row.before;
      within += position >= row.before && position < end;
    }
    row.first_kept = below;
    node.drawn = within;
  }

  void KeepAlone(HopNode& node) {
    JoinedRow& row = rows_[node.lane];
    const auto drawn = DrawAlone(node);
    const auto first = std::lower_bound(drawn.begin(), drawn.end(), row.before);
    const auto last =
        std::lower_bound(first, drawn.end(), row.before + node.degree);
    row.first_kept = static_cast<uint64_t>(first - drawn.begin());
    node.drawn = static_cast<uint64_t>(last - first);
  }

  absl::Span<const uint64_t> DrawAlone(const HopNode& node) {
    return drawer_.Draw(query_.key, source_.counter(node.index),
                        rows_[node.lane].degree,
                        static_cast<uint32_t>(query_.fanout), query_.replace);
  }

  const HopSource& source_;
  const HopQuery& query_;
  const DrawLanesFunction draw_lanes_ = DrawLanesPaths().back().draw;
  LaneDraws draws_;
  std::array<JoinedRow, kGroup> rows_;  // by lane
  PositionDrawer drawer_;
  bool damaged_ = false;
};

}  // namespace

absl::Status SampleAcrossTypes(const HopSource& source, HopEdges* out) {
  return RunHop<AcrossTypesPlanner>(source, out);
}

}  // namespace tributary
