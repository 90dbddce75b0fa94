// The program of one batch of PPR top-k.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_PROGRAM_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/kinds/ppr/ppr_plan.h"
#include "sampler_server/kinds/ppr/push_sums.h"
#include "sampler_server/kinds/ppr/seen_graph.h"

namespace tributary {

// Processes the inputs in waves. All inputs of a wave push together, round
// after round, so that a round asks peers once: for the degrees of the nodes
// that the last round reached, and for the neighbours of the nodes that push
// for the first time. A wave that exceeds working memory starts again with half
// as many inputs; which inputs share a wave changes no score.
class PprProgram final : public BatchProgram,
                         public std::enable_shared_from_this<PprProgram> {
 public:
  explicit PprProgram(StepContext context);

  void Start(Done done) override;
  absl::Status Finish(const BatchWriter& writer,
                      absl::Span<uint8_t> room) override;

 private:
  using Step = void (PprProgram::*)();

  bool HasRoom() const;
  void StartWave();
  void AskDegrees();
  void OnDegrees(absl::Status status);
  void Choose();
  void AskNeighbors();
  void OnNeighbors(absl::Status status);
  void Push();
  void EndWave();
  void OnOriginalIds(absl::Status status);
  bool PutRow(size_t place);
  void CopyRows();

  // Returns whether `bytes` more fit into working memory.
  bool Fits(uint64_t bytes) const;
  uint64_t BytesHeld() const;
  void GiveUpWave();
  void Later(Step step);
  void End(absl::StatusOr<Outcome> outcome);
  void EndTooLarge();
  template <typename T>
  T* Tensor(size_t index) const;

  StepContext context_;
  const PprPlan& plan_;
  const uint64_t num_nodes_;
  Done done_;
  // The first input of the batch that is this node, for each unique input.
  std::vector<uint32_t> first_input_;

  // The wave: unique inputs [wave_begin_, wave_begin_ + pushes_.size()).
  size_t wave_begin_ = 0;
  size_t wave_size_;  // most inputs of a wave
  std::optional<SeenGraph> seen_;
  std::vector<PushSums> pushes_;
  uint64_t push_bytes_ = 0;       // memory of pushes_
  std::vector<uint32_t> active_;  // inputs that still push: places in pushes_
  size_t next_ = 0;               // in active_; a round is done in pieces
  size_t still_active_ = 0;
  std::vector<uint32_t> wanted_;  // nodes asked about: numbers in seen_
  std::vector<uint64_t> nodes_;   // their internal ids
  std::vector<uint64_t> degrees_, neighbors_;
  std::vector<int64_t> original_;  // by place in wanted_
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_PROGRAM_H_
