// What the walks of a batch ask of partitions: here at once, elsewhere of the
// servers that own them.
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

// On the task's strand.
class WalkQuestions {
 public:
  // Once, unless the task ends first; perhaps inside the call.
  using Done = NodeQuestions::Done;

  explicit WalkQuestions(StepContext context) : context_(std::move(context)) {}

  // Of nodes of `step`'s destination type, by internal id, the neighbours that
  // `walks` (as many) draw: neighbors[i * tries + k] as DrawWalkSteps. All
  // spans outlive the answer. DATA_LOSS where a peer's answer cannot be.
  struct Draw {
    WalkPlan::StepType type;
    PhiloxKey key{};
    uint32_t step = 0, first_try = 0, tries = 1;
    absl::Span<const uint64_t> nodes;
    absl::Span<const uint32_t> walks;
    absl::Span<uint64_t> neighbors;
  };
  void AskDraw(const Draw& draw, Done done);

  // Whether ids[i] is among the neighbours of nodes[i]: answers[i] is 1 or 0.
  struct Have {
    WalkPlan::StepType type;
    absl::Span<const uint64_t> nodes;
    absl::Span<const uint64_t> ids;
    absl::Span<uint8_t> answers;
  };
  void AskHave(const Have& have, Done done);

  // SamplingKind::Answer for both.
  static absl::Status Answer(const Graph& graph, uint32_t partition,
                             absl::string_view question,
                             absl::Span<const uint8_t> payload,
                             absl::Span<uint8_t> answer);

 private:
  StepContext context_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_QUESTIONS_H_
