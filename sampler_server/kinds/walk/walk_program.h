// The program of one batch of random walks.
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

// All walks of the batch take a step together. A step has rounds: each draws
// neighbours for the walks that have no node yet, and in second-order walks
// accepts or rejects them. Then the step's nodes are numbered, walk after walk.
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
  // Returns the node type of column `column` of the walks.
  int TypeAt(uint32_t column) const;
  absl::Span<int32_t> WalkIndex() const;
  void BeginStep();
  bool Restarts(uint32_t walk) const;
  void BeginRound();
  void OnDrawn(absl::Status status);
  void DecideTries();
  Verdict DecideTry(uint32_t walk, uint32_t tried, uint64_t drawn) const;
  void OnNeighbors(absl::Status status);
  void TakeAccepted();
  void EndStep();
  bool NumberStep();
  void End(absl::StatusOr<Outcome> outcome);

  StepContext context_;
  const WalkPlan& plan_;
  const PhiloxKey key_;
  const size_t num_walks_;
  Done done_;
  uint32_t step_ = 0;

  // Internal ids or kNoNode, for each walk.
  std::vector<uint64_t> start_, previous_, current_, next_;
  // The walks that have no node in this step yet, and their current nodes.
  std::vector<uint32_t> pending_;
  std::vector<uint64_t> nodes_;
  uint32_t first_try_ = 0, tries_ = 1;
  std::vector<uint64_t> drawn_;    // [pending][tries]
  std::vector<Verdict> verdicts_;  // likewise
  // Verdicts that depend on whether the drawn node is a neighbour of the
  // previous one: places in verdicts_, the two nodes, and the answers.
  std::vector<uint32_t> undecided_;
  std::vector<uint64_t> undecided_previous_, undecided_drawn_;
  std::vector<uint8_t> near_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_WALK_WALK_PROGRAM_H_
