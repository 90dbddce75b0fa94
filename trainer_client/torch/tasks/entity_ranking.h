// Filtered ranking of links among all nodes, as knowledge graph completion is
// measured (Bordes et al.: Translating Embeddings for Modeling Multi-relational
// Data, 2013). No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_ENTITY_RANKING_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_ENTITY_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/torch/tasks/known_answers.h"

namespace tributary {

class ProcessGroup;

// Scores all nodes as answers. Used by one thread.
class CandidateScorer {
 public:
  virtual ~CandidateScorer() = default;
  // Fills `scores`, [given, nodes of the asked end's type] row-major: how
  // likely each node makes a link of `relation` with the given end. A row must
  // be a function of its given end and the number of given ends alone.
  virtual absl::Status Score(uint32_t relation, LinkEnd asked,
                             absl::Span<const int64_t> given,
                             absl::Span<float> scores) = 0;
};

// The nodes that may be the ends of a relation's links.
struct RelationEnds {
  int64_t sources = 0;
  int64_t destinations = 0;
};

// Means over the links and both asked ends: 2 ranks for each link.
struct RankSummary {
  double mrr = 0;
  double hits_at_1 = 0;
  double hits_at_3 = 0;
  double hits_at_10 = 0;
  double mean_rank = 0;
};

// What is ranked among what.
struct EntityRanking {
  const TypedLinks* links = nullptr;
  const KnownAnswers* known = nullptr;       // left out of the candidates
  absl::Span<const RelationEnds> relations;  // by relation
};

// Ranks the destination of each link among all nodes of its type, given the
// source, and the source given the destination (FilteredRank). The ranks of the
// job share the work. Scores take 16 MB, or one row if that is larger. The same
// bits for any number of ranks: which links are scored together depends on the
// links alone, and ranks are summed in the order of the links. Every rank must
// call it, with the same links. `progress` is called with the rounds done and
// in all. FAILED_PRECONDITION without links; errors of scorer, group and
// `progress`.
absl::StatusOr<RankSummary> RankAmongAll(
    const EntityRanking& ranking, CandidateScorer& scorer, ProcessGroup& group,
    const std::function<absl::Status(uint64_t done, uint64_t total)>& progress);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_ENTITY_RANKING_H_
