// The seam between what is common to all batches and one kind of sampling.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_SAMPLING_KIND_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_SAMPLING_KIND_H_

#include <memory>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tributary {

namespace v1 {
class SessionSpec;
}
class BatchWriter;
struct GraphSchema;
struct SamplingPlan;
struct StepContext;

// How the steps of a batch end, unless by an error.
enum class SamplingOutcome {
  kSampled,   // the state holds what the steps sample
  kTooLarge,  // it would exceed the limits; the state's counts say how large
};

// The steps that fill one batch's state: nodes, edges and a kind's own tensors.
// The task before it has checked and numbered the inputs; the task after it
// sizes the batch, answers Needs where it does not fit, and gathers the rows.
// All methods on the task's strand.
class BatchProgram {
 public:
  using Outcome = SamplingOutcome;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Outcome>)>;

  virtual ~BatchProgram() = default;
  // `done` runs once, unless the task ends first; perhaps inside the call. What
  // it holds, beside a fixed few KiB, is in the state or within the limits that
  // the task's control states.
  virtual void Start(Done done) = 0;
  // Once all rows are in the room: for tensors made of them.
  virtual absl::Status Finish(const BatchWriter& writer,
                              absl::Span<uint8_t> room) {
    (void)writer, (void)room;
    return absl::OkStatus();
  }
};

// One kind of sampling. Has no state: one object serves all sessions and
// threads.
class SamplingKind {
 public:
  virtual ~SamplingKind() = default;
  // As users name it: `tributary sample --kind`.
  virtual absl::string_view name() const = 0;
  // The number of its message in SessionSpec's oneof `kind`.
  virtual int field() const = 0;
  // Whether its inputs are links instead of nodes.
  virtual bool takes_links() const { return false; }
  // Fills what the plan holds of this kind. What all kinds share is there
  // already, and fields that nobody knows have been refused. INVALID_ARGUMENT,
  // naming the field and what is allowed; FAILED_PRECONDITION for what the
  // graph lacks.
  virtual absl::Status Plan(const GraphSchema& schema,
                            const v1::SessionSpec& spec,
                            SamplingPlan* plan) const = 0;
  // The steps of one batch of a plan that this kind filled.
  virtual std::shared_ptr<BatchProgram> NewProgram(
      StepContext context) const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_SAMPLING_KIND_H_
