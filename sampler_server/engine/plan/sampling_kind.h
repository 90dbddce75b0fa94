// The interface of a kind of sampling: its plan and the steps of its batches.
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

// The steps of one batch. They fill its state: nodes, edges and tensors that
// only this kind has. Before, the task has checked and numbered the inputs;
// afterwards it computes the batch's size, answers Needs if it does not fit,
// and gathers the rows. All methods on the task's strand.
class BatchProgram {
 public:
  using Outcome = SamplingOutcome;
  using Done = absl::AnyInvocable<void(absl::StatusOr<Outcome>)>;

  virtual ~BatchProgram() = default;
  // `done` runs once, unless the task ends first; perhaps inside the call. The
  // program's memory, beside a few KiB, is in the state or within the limits of
  // the task's control.
  virtual void Start(Done done) = 0;
  // Writes tensors that are made of rows. Called once all rows are in `room`.
  virtual absl::Status Finish(const BatchWriter& writer,
                              absl::Span<uint8_t> room) {
    (void)writer, (void)room;
    return absl::OkStatus();
  }
};

// One kind of sampling. Has no state: one object, which lives as long as the
// program, serves all sessions. Thread-safe.
class SamplingKind {
 public:
  virtual ~SamplingKind() = default;
  // The name that users know: `tributary sample --kind`.
  virtual absl::string_view name() const = 0;
  // The number of its message in SessionSpec's oneof `kind`.
  virtual int field() const = 0;
  // Whether its inputs are links instead of nodes.
  virtual bool takes_links() const { return false; }
  // Fills this kind's part of `plan`, whose common part is filled; unknown
  // fields of `spec` have been refused. Errors: INVALID_ARGUMENT, naming the
  // field and what is allowed; FAILED_PRECONDITION, if the graph lacks
  // something.
  virtual absl::Status Plan(const GraphSchema& schema,
                            const v1::SessionSpec& spec,
                            SamplingPlan* plan) const = 0;
  // Returns the steps of one batch. This kind has filled context.plan.
  virtual std::shared_ptr<BatchProgram> NewProgram(
      StepContext context) const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_PLAN_SAMPLING_KIND_H_
