// The negatives of one supervision type of a batch.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_STEP_H_

#include <cstdint>
#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_part.h"
#include "sampler_server/kinds/link/negative_draw.h"

namespace tributary {

// Draws negatives, searches for them, or takes those that came with the links.
// Works in pieces, so that no turn holds the thread for long. On the task's
// strand.
class NegativeStep : public std::enable_shared_from_this<NegativeStep> {
 public:
  // Runs once, unless the task ends first; perhaps inside the call.
  // FAILED_PRECONDITION: a negative has no valid candidate.
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // Appends the negatives' ends to those of the links in `part`, which is
  // resolved and outlives this. `parts_bytes`: the bytes() of all parts.
  NegativeStep(StepContext context, uint64_t parts_bytes, LinkPart* part);
  void Start(Done done);

 private:
  void SumDegrees();
  void DrawPiece();
  absl::Status TakeGiven(uint64_t from, uint64_t to);
  absl::Status Draw(uint64_t from, uint64_t to);
  void Search(uint64_t from);
  void OnPieceDrawn();
  void End(absl::Status status);

  StepContext context_;
  const LinkPlan& plan_;
  const uint64_t parts_bytes_;
  LinkPart* const part_;
  const NegativeDraw draw_;
  Done done_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_NEGATIVE_STEP_H_
