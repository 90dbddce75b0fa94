// What the walks of a batch ask of partitions: here at once, elsewhere of the
// servers that own them.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_QUESTIONS_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_QUESTIONS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/step_context.h"
#include "sampler_server/kinds/walk/walk_plan.h"
#include "sampler_server/kinds/walk/walk_step.h"

namespace tributary {

// Asks one thing, once; partitions of other servers first, so that they
// answer while those here are drawn from. On the task's strand.
class WalkQuestions : public std::enable_shared_from_this<WalkQuestions> {
 public:
  // Once, unless the task ends first; perhaps inside the call.
  using Done = absl::AnyInvocable<void(absl::Status)>;

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
  struct Group;
  using AskHere = absl::AnyInvocable<absl::Status(const Group&)>;
  using MakeQuestion =
      absl::AnyInvocable<KindQuestion(const Group&, size_t from, size_t to)>;
  using TakeAnswer = std::function<absl::Status(
      const Group&, size_t from, size_t to, const AlignedBuffer&)>;

  void AskAll(const WalkPlan::StepType& type, absl::Span<const uint64_t> nodes,
              AskHere here, MakeQuestion make, TakeAnswer take, Done done);
  void AskThere(std::shared_ptr<const Group> group, MakeQuestion& make,
                const TakeAnswer& take);
  void FinishWhenAllIsThere();
  void Finish(absl::Status status);

  StepContext context_;
  Done done_;
  int in_flight_ = 0;
  bool asking_ = false;  // more questions may follow
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_QUESTIONS_H_
