// A baseline for knowledge graphs. No torch.
#ifndef TRIBUTARY_EXAMPLES_BASELINES_RELATION_FREQUENCY_H_
#define TRIBUTARY_EXAMPLES_BASELINES_RELATION_FREQUENCY_H_

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "trainer_client/torch/tasks/entity_ranking.h"

namespace tributary {

// Scores a node by how often it is that end of the relation in the training
// links, whatever the given end: what any model of a knowledge graph has to
// beat.
class RelationFrequency final : public CandidateScorer {
 public:
  explicit RelationFrequency(const TypedLinks& train);
  absl::Status Score(uint32_t relation, LinkEnd asked,
                     absl::Span<const int64_t> given,
                     absl::Span<float> scores) override;

 private:
  // The number of links by relation and node.
  using Counts = std::map<std::pair<uint32_t, int64_t>, float>;
  std::array<Counts, 2> by_end_;  // by LinkEnd
};

}  // namespace tributary

#endif  // TRIBUTARY_EXAMPLES_BASELINES_RELATION_FREQUENCY_H_
