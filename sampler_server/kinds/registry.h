// Every kind of sampling that this program has. A new one is a folder here, a
// field of SessionSpec and a line of registry.cc: docs/extending.md.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_REGISTRY_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_REGISTRY_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/plan.h"
#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// By number of the specification's field, ascending.
absl::Span<const SamplingKind* const> AllKinds();

// By SamplingKind::field(); null when there is none.
const SamplingKind* FindKind(int field);

// SamplingPlan::Make with all of them.
absl::StatusOr<SamplingPlan> MakePlan(const GraphSchema& schema,
                                      std::string_view spec_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_REGISTRY_H_
