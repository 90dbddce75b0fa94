#include "sampler_server/kinds/registry.h"

#include "sampler_server/kinds/neighbor/neighbor_kind.h"

namespace tributary {

absl::Span<const SamplingKind* const> AllKinds() {
  static const SamplingKind* const kinds[] = {
      &NeighborKind(),
  };
  return kinds;
}

absl::StatusOr<SamplingPlan> MakePlan(const GraphSchema& schema,
                                      std::string_view spec_bytes) {
  return SamplingPlan::Make(AllKinds(), schema, spec_bytes);
}

}  // namespace tributary
