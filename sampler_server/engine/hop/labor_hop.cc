#include "sampler_server/engine/draw/labor_drawer.h"
#include "sampler_server/engine/hop/eligible_planner.h"
#include "sampler_server/engine/hop/hop_draws.h"

namespace tributary {
namespace {

// kRange: all positions; kAlone: drawn for, each neighbour looked at.
class LaborPlanner {
 public:
  static constexpr size_t kGroup = 8;
  static constexpr bool kReadsRows = true;
  static constexpr bool kEmitsNone = false;

  explicit LaborPlanner(const HopSource& source)
      : query_(source.query), ids_(source.edges.neighbor_id) {}

  // The lines that are read before the processor sees that they follow each
  // other.
  void PrefetchRow(uint64_t begin, uint64_t end) {
    if (begin >= end || end > ids_.size()) return;
    const size_t width = ids_.wide() ? sizeof(uint64_t) : sizeof(uint32_t);
    const auto* const base = reinterpret_cast<const char*>(
        ids_.wide() ? static_cast<const void*>(ids_.wide_span().data())
                    : static_cast<const void*>(ids_.narrow_span().data()));
    constexpr uint64_t kLine = 64, kLines = 16;
    const uint64_t most = std::min(end * width, begin * width + kLines * kLine);
    for (uint64_t at = begin * width; at < most; at += kLine) {
      Prefetch(base + at);
    }
  }

  uint64_t Work(const HopNode& node) const { return node.degree; }
  void Begin() {}
  bool HasRoom() const { return true; }

  void Add(HopNode& node) {
    node.drawn = NumDrawn(node.degree, query_.fanout, /*replace=*/false);
    node.way = node.drawn == node.degree || node.drawn == 0
                   ? HopNode::Way::kRange
                   : HopNode::Way::kAlone;
  }

  void Count(absl::Span<HopNode>) {}
  void Draw(absl::Span<HopNode>) {}

  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    if (node.way == HopNode::Way::kRange) {
      return reader.AddRange(node.begin + node.skip, node.take);
    }
    reader.AddPositions(
        node.begin,
        drawer_
            .Draw(query_.key, ids_, node.begin, node.degree,
                  static_cast<uint32_t>(query_.fanout), {}, query_.stop)
            .subspan(node.skip, node.take));
  }

  absl::Status Finish() const { return absl::OkStatus(); }

 private:
  const HopQuery& query_;
  const IdArray& ids_;
  LaborDrawer drawer_;
};

}  // namespace

absl::Status SampleLabor(const HopSource& source, HopEdges* out) {
  return RunPlanned<LaborPlanner>(source, out);
}

}  // namespace tributary
