// The steps of one batch of random walks.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_PROGRAM_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/kinds/walk/walk_plan.h"
#include "sampler_server/kinds/walk/walk_step.h"

namespace tributary {

// All walks of the batch take a step together. Within a step, rounds: draw for
// the walks that have no node yet, and, with a second order, take or refuse
// what was drawn. Then the step's nodes are numbered, walk after walk.
class WalkProgram final : public BatchProgram,
                          public std::enable_shared_from_this<WalkProgram> {
 public:
  explicit WalkProgram(StepContext context);

  void Start(Done done) override;
  absl::Status Finish(const BatchWriter& writer,
                      absl::Span<uint8_t> room) override;

 private:
  enum class Verdict : uint8_t { kRefused, kTaken, kTakenIfNear, kTakenIfFar };

  bool HasRoom() const;
  int TypeAt(uint32_t column) const;  // node type of the schema
  absl::Span<int32_t> WalkIndex() const;
  void BeginStep();
  bool Restarts(uint32_t walk) const;
  void BeginRound();
  void OnDrawn(absl::Status status);
  void Judge();
  Verdict JudgeOne(uint32_t walk, uint32_t tried, uint64_t drawn) const;
  void OnJudged(absl::Status status);
  void Settle();
  void EndStep();
  bool NumberStep();
  void End(absl::StatusOr<Outcome> outcome);

  StepContext context_;
  const WalkPlan& plan_;
  const PhiloxKey key_;
  const size_t num_walks_;
  Done done_;
  uint32_t step_ = 0;

  // By walk: internal ids, or kNoNode.
  std::vector<uint64_t> start_, previous_, current_, next_;
  // By walk that has no node in this step yet.
  std::vector<uint32_t> pending_;
  std::vector<uint64_t> nodes_;
  uint32_t first_try_ = 0, tries_ = 1;
  std::vector<uint64_t> drawn_;    // [pending][tries]
  std::vector<Verdict> verdicts_;  // likewise
  // By verdict that depends on whether the node is near.
  std::vector<uint32_t> doubtful_;  // place in verdicts_
  std::vector<uint64_t> doubtful_of_, doubtful_id_;
  std::vector<uint8_t> near_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_PROGRAM_H_
