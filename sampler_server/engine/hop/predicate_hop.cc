#include "sampler_server/engine/hop/eligible_drawer.h"
#include "sampler_server/engine/hop/hop_draws.h"
#include "sampler_server/engine/hop/hop_kernel.h"

namespace tributary {
namespace {

// Every row is looked at, whatever the kind of draw.
class PredicatePlanner {
 public:
  static constexpr size_t kGroup = 8;
  static constexpr bool kReadsRows = false;
  static constexpr bool kEmitsNone = false;

  explicit PredicatePlanner(const HopSource& source) : drawer_(source) {}

  void PrefetchRow(uint64_t, uint64_t) {}
  uint64_t Work(const HopNode& node) const { return node.degree; }
  void Begin() {}
  bool HasRoom() const { return true; }
  void Add(HopNode& node) { node.drawn = drawer_.Count(node); }
  void Count(absl::Span<HopNode>) {}
  void Draw(absl::Span<HopNode>) {}
  template <typename Reader>
  void Emit(const HopNode& node, Reader& reader) {
    drawer_.Emit(node, reader);
  }
  absl::Status Finish() const { return drawer_.Finish(); }

 private:
  EligibleDrawer drawer_;
};

}  // namespace

absl::Status SampleByPredicate(const HopSource& source, HopEdges* out) {
  return RunHop<PredicatePlanner>(source, out);
}

}  // namespace tributary
