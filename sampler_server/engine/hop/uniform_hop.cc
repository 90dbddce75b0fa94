#include "sampler_server/engine/draw/draw_lanes.h"
#include "sampler_server/engine/hop/eligible_planner.h"
#include "sampler_server/engine/hop/hop_draws.h"

namespace tributary {
namespace {

// What a node emits depends on its degree alone. kRange: all of its positions;
// kLane: drawn for with others; kAlone: large degrees and fanouts. With small
// fanouts all but the largest degrees take a lane: a wrong guess at whether a
// row is short costs more than drawing for it.
class UniformPlanner {
 public:
  static constexpr size_t kGroup = 2 * kDrawLanes;  // kRange takes no lane
  static constexpr bool kReadsRows = false;
  static constexpr bool kEmitsNone = true;

  explicit UniformPlanner(const HopSource& source)
      : source_(source),
        query_(source.query),
        few_(query_.fanout > 0 && query_.fanout <= kFew) {}

  void PrefetchRow(uint64_t, uint64_t) {}
  uint64_t Work(const HopNode& node) const { return node.drawn; }
  void Begin() { lanes_ = 0; }
  bool HasRoom() const { return lanes_ < kDrawLanes; }

  void Add(HopNode& node) {
    node.drawn = NumDrawn(node.degree, query_.fanout, query_.replace);
    if (!few_ && (node.drawn == 0 ||
                  TakesAll(node.degree, query_.fanout, query_.replace))) {
      node.way = HopNode::Way::kRange;
    } else if (node.degree > kWideThreshold ||
               query_.fanout > static_cast<int32_t>(kMostLaneDraws)) {
      node.way = HopNode::Way::kAlone;
    } else {
      node.way = HopNode::Way::kLane;
      node.lane = lanes_++;
      const NodeCounter counter = source_.counter(node.index);
      draws_.degree[node.lane] = static_cast<uint32_t>(node.degree);
      draws_.local_number[node.lane] = counter.local_number;
      draws_.tree[node.lane] = counter.tree;
    }
  }

  void Count(absl::Span<HopNode>) {}

  void Draw(absl::Span<HopNode>) {
    if (lanes_ == 0) return;
    draw_lanes_(query_.key, static_cast<uint32_t>(query_.fanout),
                query_.replace, draws_);
  }

  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    switch (node.way) {
      case HopNode::Way::kRange:
        return reader.AddRange(node.begin + node.skip, node.take);
      case HopNode::Way::kLane:
        return EmitLane(node, reader);
      case HopNode::Way::kAlone:
        return reader.AddPositions(
            node.begin,
            drawer_
                .Draw(query_.key, source_.counter(node.index), node.degree,
                      static_cast<uint32_t>(query_.fanout), query_.replace)
                .subspan(node.skip, node.take));
    }
  }

  absl::Status Finish() const { return absl::OkStatus(); }

 private:
  static constexpr int32_t kFew = 8;

  template <typename Reader>
  void EmitLane(const HopNode& node, Reader& reader) {
    const uint32_t* const position = draws_.position + node.lane;
    if (few_ && node.take == node.drawn) {
      return reader.AddUpTo(node.begin, position,
                            static_cast<uint32_t>(query_.fanout), node.take);
    }
    reader.AddLane(node.begin, position + node.skip * kDrawLanes, node.take);
  }

  const HopSource& source_;
  const HopQuery& query_;
  const bool few_;
  const DrawLanesFunction draw_lanes_ = DrawLanesPaths().back().draw;
  LaneDraws draws_;
  uint32_t lanes_ = 0;  // in use
  PositionDrawer drawer_;
};

}  // namespace

absl::Status SampleUniform(const HopSource& source, HopEdges* out) {
  return RunPlanned<UniformPlanner>(source, out);
}

}  // namespace tributary
