#include "sampler_server/kinds/registry.h"

#include "sampler_server/kinds/layerwise/layerwise_kind.h"
#include "sampler_server/kinds/link/link_kind.h"
#include "sampler_server/kinds/neighbor/neighbor_kind.h"
#include "sampler_server/kinds/ppr/ppr_kind.h"
#include "sampler_server/kinds/walk/walk_kind.h"

namespace tributary {

absl::Span<const SamplingKind* const> AllKinds() {
  static const SamplingKind* const kinds[] = {
      &NeighborKind(), &WalkKind(), &LinkKind(), &PprKind(), &LayerwiseKind(),
  };
  return kinds;
}

const SamplingKind* FindKind(int field) {
  for (const SamplingKind* kind : AllKinds()) {
    if (kind->field() == field) return kind;
  }
  return nullptr;
}

absl::StatusOr<SamplingPlan> MakePlan(const GraphSchema& schema,
                                      std::string_view spec_bytes) {
  return SamplingPlan::Make(AllKinds(), schema, spec_bytes);
}

}  // namespace tributary
