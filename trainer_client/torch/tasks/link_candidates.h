// Scores of all nodes as ends of links, by a model's rows and a decoder.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_CANDIDATES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_CANDIDATES_H_

#include <memory>
#include <vector>

#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/tasks/entity_ranking.h"
#include "trainer_client/torch/tasks/entity_rows.h"
#include "trainer_client/torch/tasks/link_decoder.h"

namespace tributary {

// Scores by a decoder. The rows are copied to the decoder's device once. The
// same bits for any number of threads: each of them multiplies whole pieces of
// the candidates, whose size is fixed.
class DecodedCandidates final : public CandidateScorer {
 public:
  // `rows` must outlive this.
  DecodedCandidates(const TypeTable& types, std::shared_ptr<LinkScorer> scorer,
                    const EntityRows& rows);
  // INVALID_ARGUMENT for a type without rows.
  absl::Status Score(uint32_t relation, LinkEnd asked,
                     absl::Span<const int64_t> given,
                     absl::Span<float> scores) override;

 private:
  absl::StatusOr<at::Tensor> RowsOf(size_t type) const;

  const TypeTable types_;
  const std::shared_ptr<LinkScorer> scorer_;
  std::vector<at::Tensor> rows_;  // by node type; undefined: none
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_LINK_CANDIDATES_H_
