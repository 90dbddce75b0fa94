// Writes the degrees of a batch's nodes (in_degree, out_degree) into its room.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_DEGREE_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_DEGREE_STEP_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/batch/batch_writer.h"
#include "sampler_server/engine/batch/step_context.h"

namespace tributary {

// Reads the degrees of own and of peers' nodes from the graph, which has those
// of all nodes by original id, in the order of n_id. Asks nobody and holds no
// memory. Writes the tensors of one edge type in each turn of the strand.
// Errors: DATA_LOSS (a degree that is not possible), FAILED_PRECONDITION (the
// graph has none). All methods on the task's strand.
class DegreeStep : public std::enable_shared_from_this<DegreeStep> {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  // `writer` and `room`, which has its n_id, outlive the task.
  DegreeStep(StepContext context, const BatchWriter* writer,
             absl::Span<uint8_t> room)
      : context_(std::move(context)), writer_(writer), room_(room) {}

  // `done` runs once, unless the task ends first; perhaps inside the call.
  void Start(Done done);

 private:
  void WriteType(size_t index);
  absl::Status WriteEnds(size_t index) const;
  absl::Span<const int64_t> OriginalIds(int node_type) const;

  StepContext context_;
  const BatchWriter* const writer_;
  const absl::Span<uint8_t> room_;
  Done done_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_DEGREE_STEP_H_
