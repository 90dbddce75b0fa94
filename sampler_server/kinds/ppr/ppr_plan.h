// The plan of a session of PPR top-k.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_PLAN_H_

#include <cstdint>

#include "absl/status/status.h"
#include "common/proto/session.pb.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/plan.h"
#include "sampler_server/kinds/ppr/push_sums.h"

namespace tributary {

// Immutable once filled.
class PprPlan final : public KindPlan {
 public:
  // Does what SamplingKind::Plan requires.
  static absl::Status Fill(const GraphSchema& schema,
                           const v1::PprSampling& ppr, SamplingPlan* plan);
  // Returns the PPR part of a plan that Fill has filled.
  static const PprPlan& Of(const SamplingPlan& plan) {
    return static_cast<const PprPlan&>(*plan.part);
  }

  uint32_t top_k = 0;
  PushRule rule;
  int edge_type = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_PLAN_H_
