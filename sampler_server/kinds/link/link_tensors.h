// What a batch of links carries beside the subgraph.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_TENSORS_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_TENSORS_H_

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "sampler_server/engine/step_context.h"
#include "sampler_server/kinds/link/link_plan.h"

namespace tributary {

// PyG's edge_label_index, edge_label and edge_label_time, or its src_index,
// dst_pos_index, dst_neg_index and seed_time. They lie in the batch's state;
// `context` and `plan` outlive this.
class LinkTensors {
 public:
  LinkTensors(const StepContext& context, const LinkPlan& plan,
              uint64_t num_links, uint64_t num_negatives)
      : context_(context),
        plan_(plan),
        num_links_(num_links),
        num_negatives_(num_negatives) {}

  // Names, types and shapes, without values.
  void Add();

  // Their values. Local numbers of the links' ends, then of the negatives' that
  // were drawn; `exhausted` negatives are not valid. After Add.
  void Write(absl::Span<const uint32_t> sources,
             absl::Span<const uint32_t> destinations, uint64_t exhausted);

 private:
  bool has_pairs() const { return plan_.mode != NegativeMode::kTriplet; }
  void AddTensor(const std::string& name, DType dtype, Shape shape);
  template <typename T>
  absl::Span<T> Bytes(const std::string& name);
  void WritePairs(absl::Span<const uint32_t> sources,
                  absl::Span<const uint32_t> destinations);
  void WriteTriplets(absl::Span<const uint32_t> sources,
                     absl::Span<const uint32_t> destinations);
  void WriteLabels();
  void WriteTimes(const std::string& name, uint64_t negatives);

  const StepContext& context_;
  const LinkPlan& plan_;
  const uint64_t num_links_, num_negatives_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_TENSORS_H_
