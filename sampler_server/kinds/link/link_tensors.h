// The tensors that a batch of links has beside its subgraph.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_TENSORS_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_TENSORS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "sampler_server/engine/batch/step_context.h"
#include "sampler_server/kinds/link/link_part.h"

namespace tributary {

// The tensors of one supervision type: input_id, and PyG's edge_label_index,
// edge_label and edge_label_time, or its src_index, dst_pos_index,
// dst_neg_index and seed_time. They are stored in the batch's state. `context`
// and `part` outlive this. Not thread-safe.
class LinkTensors {
 public:
  LinkTensors(const StepContext& context, const LinkPart& part)
      : context_(context), part_(part), plan_(LinkPlan::Of(*context.plan)) {}

  // Adds names, types and shapes to the state, whose list of tensors nobody
  // else may change before Write.
  void Add();

  // Writes the values. After Add and NumberStarts.
  void Write();

 private:
  bool has_pairs() const { return plan_.mode != NegativeMode::kTriplet; }
  void AddTensor(const std::string& name, DType dtype, Shape shape);
  void AddPairs(bool timed);
  void AddTriplets(bool timed);
  KindTensor* Find(const std::string& name);
  template <typename T>
  absl::Span<T> Values(const std::string& name);
  void WriteInputs();
  void WritePairs();
  void WriteTriplets();
  void WriteLabels();
  void WriteTimes(const std::string& name, uint64_t negatives);

  const StepContext& context_;
  const LinkPart& part_;
  const LinkPlan& plan_;
  size_t begin_ = 0, end_ = 0;  // among the state's tensors
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_TENSORS_H_
