// The plan of a session of random walks.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_PLAN_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "common/proto/session.pb.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// Immutable once filled.
class WalkPlan final : public KindPlan {
 public:
  struct StepType {
    int edge_type = 0;
    int src_type = 0;  // of the node that the step goes to
    int dst_type = 0;  // of the node that it comes from
  };

  // Does what SamplingKind::Plan requires.
  static absl::Status Fill(const GraphSchema& schema,
                           const v1::WalkSampling& walk, SamplingPlan* plan);
  // Returns the walk's part of a plan that Fill has filled.
  static const WalkPlan& Of(const SamplingPlan& plan) {
    return static_cast<const WalkPlan&>(*plan.part);
  }

  const StepType& step(uint32_t number) const {
    return steps_[number % steps_.size()];
  }
  bool second_order() const { return back != 0; }
  // Returns the bytes that a task may hold for a walk, beside its tensors.
  uint64_t bytes_per_walk() const;

  uint32_t length = 0;
  uint32_t walks_per_input = 0;
  uint64_t restart = 0;  // share of 2^32
  bool restart_ends = false;
  uint64_t back = 0, near = 0, far = 0;  // shares of 2^32; 0: first order

 private:
  absl::Status FillSteps(const GraphSchema& schema,
                         const v1::WalkSampling& walk,
                         const SamplingPlan& plan);
  absl::Status FillShares(const v1::WalkSampling& walk);
  bool stays_in_one_type() const {
    return steps_.size() == 1 && steps_[0].src_type == steps_[0].dst_type;
  }

  std::vector<StepType> steps_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_PLAN_H_
