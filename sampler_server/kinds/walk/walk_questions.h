// Questions of a batch's walks to the partitions of their nodes.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_QUESTIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_QUESTIONS_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/questions/node_questions.h"
#include "sampler_server/kinds/walk/walk_plan.h"
#include "sampler_server/kinds/walk/walk_step.h"

namespace tributary {

// Draws steps in the partitions of this server at once and asks the owners of
// the others. On the task's strand.
class WalkQuestions {
 public:
  // Runs once, unless the task ends first; perhaps inside the call.
  using Done = NodeQuestions::Done;

  explicit WalkQuestions(StepContext context) : context_(std::move(context)) {}

  // Draws a step of each of `walks`. nodes[i], an internal id of the step's
  // destination type, is where walks[i] is; neighbors[i * tries + k] becomes
  // the neighbour drawn at try first_try + k, as DrawWalkSteps. The spans
  // outlive the answer. DATA_LOSS: a peer's answer is out of range.
  struct Draw {
    WalkPlan::StepType type;
    PhiloxKey key{};
    uint32_t step = 0, first_try = 0, tries = 1;
    absl::Span<const uint64_t> nodes;
    absl::Span<const uint32_t> walks;
    absl::Span<uint64_t> neighbors;
  };
  void AskDraw(const Draw& draw, Done done);

  // Sets answers[i] to 1 if ids[i] is among the neighbours of nodes[i], else to
  // 0. The spans outlive the answer.
  struct Have {
    WalkPlan::StepType type;
    absl::Span<const uint64_t> nodes;
    absl::Span<const uint64_t> ids;
    absl::Span<uint8_t> answers;
  };
  void AskHave(const Have& have, Done done);

 private:
  StepContext context_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_QUESTIONS_H_
