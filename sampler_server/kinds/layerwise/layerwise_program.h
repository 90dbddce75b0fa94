// The program of one batch of layer-wise sampling.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_PROGRAM_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/engine/plan/sampling_kind.h"
#include "sampler_server/kinds/layerwise/layer_draw.h"
#include "sampler_server/kinds/layerwise/layerwise_plan.h"

namespace tributary {

// For each layer, reads the degrees and all in-edges of the nodes so far, from
// all partitions; computes the neighbours' weights; draws nodes; and keeps the
// edges between the drawn nodes and the nodes so far.
class LayerwiseProgram final
    : public BatchProgram,
      public std::enable_shared_from_this<LayerwiseProgram> {
 public:
  explicit LayerwiseProgram(StepContext context)
      : context_(std::move(context)),
        plan_(LayerwisePlan::Of(*context_.plan)) {}

  void Start(Done done) override;

 private:
  using Step = void (LayerwiseProgram::*)();

  const PlannedEdgeType& edge_type() const {
    return context_.plan->edge_types[0];
  }
  NodeTypeState& nodes() const {
    return context_.state->nodes[context_.plan->input_type];
  }
  EdgeTypeState& edges() const { return context_.state->edges[0]; }
  KindTensor& weights() const { return context_.state->tensors[0]; }

  void SumDegrees();
  void BeginLayer();
  void OnDegrees(absl::Status status);
  void ReadRows();
  void OnNeighbors(absl::Status status);
  void Weigh();
  void DrawFromGraph();
  PhiloxKey Key() const;
  bool IsDrawn(uint32_t candidate) const {
    return draw_.has_value() ? draw_->drawn(candidate) : share_[candidate] > 0;
  }
  double GainOf(uint32_t candidate) const;
  bool NumberCandidates();
  void DrawSome();
  void KeepDrawn();
  bool NumberDrawn();
  uint64_t CountKept();
  void KeepEdges(uint64_t kept);
  void EndLayer();

  // The size of an edge's id, where the batch has them.
  uint64_t EdgeIdBytes() const {
    return context_.plan->omit_edge_ids ? 0 : sizeof(int64_t);
  }
  uint64_t BytesHeld() const;
  // Returns whether `bytes` more fit into working memory; if not, sets
  // short_of_ to the bytes that are missing.
  bool Fits(uint64_t bytes);
  void Later(Step step);
  void End(absl::StatusOr<Outcome> outcome);
  void EndTooLarge();

  StepContext context_;
  const LayerwisePlan& plan_;
  Done done_;
  int layer_ = 0;
  uint64_t short_of_ = 0;
  size_t size_ = 0;  // of the layer: nodes 0, ..., size_ - 1
  // The row of each node of the layer.
  std::vector<uint64_t> degree_, first_;
  // One entry for each edge of the layer's rows.
  std::vector<uint64_t> neighbors_;
  std::vector<int64_t> edge_ids_;    // empty if the batch has none
  std::vector<uint32_t> candidate_;  // number of its source as a candidate
  // One entry for each candidate.
  std::vector<uint64_t> candidate_id_;
  std::optional<LayerDraw> draw_;
  std::vector<double> share_;    // FastGCN, instead of draw_: GraphDraw::Share
  std::vector<uint32_t> local_;  // local number, of those drawn
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_PROGRAM_H_
