// Filtered ranking in a training run: what is read for it, and the ranks of a
// split. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_LINK_RANKING_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_LINK_RANKING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/torch/tasks/entity_ranking.h"
#include "trainer_client/torch/tasks/entity_rows.h"
#include "trainer_client/torch/tasks/known_answers.h"

namespace tributary {

class Learner;
class ProcessGroup;
struct TrainResult;

// The loaders of one rank that a filtered ranking reads.
struct RankingLoaders {
  // All links of a split, in their order, with few neighbours; every rank reads
  // all of them (of a world of one). Null: there is no such split.
  DistLoader* train = nullptr;
  DistLoader* valid = nullptr;
  DistLoader* test = nullptr;
  // All nodes of a type, in their order, by node type of the schema; null: no
  // link ends there. With the rank and world of the run.
  std::vector<DistLoader*> entities;
  // Called, if set, once the links are read, so that their loaders may be
  // destroyed.
  std::function<void()> release_links;
  // As TrainLoaders has it.
  std::function<bool()> stop_requested;

  bool given() const { return train != nullptr; }
};

// Ranks the links of a split among all nodes, leaving out the links of all
// splits. Used by one thread; all ranks must call the same methods in the same
// order.
class LinkRanking {
 public:
  // An error ends the ranking. Is called with 0 done, too, before a pass over
  // the nodes.
  using Progress = std::function<absl::Status(uint64_t done, uint64_t total)>;
  enum class Split { kTrain, kValid, kTest };

  // Reads the links. `loaders` must outlive the object, but for those that
  // release_links destroys. Errors are those of the loaders.
  static absl::StatusOr<std::unique_ptr<LinkRanking>> Read(
      const RankingLoaders& loaders, const Progress& progress);

  bool has(Split split) const { return LinksOf(split).size() > 0; }
  const TypedLinks& LinksOf(Split split) const {
    return links_[static_cast<size_t>(split)];
  }

  // Ranks by a scorer (RankAmongAll).
  absl::StatusOr<RankSummary> Rank(Split split, CandidateScorer& scorer,
                                   ProcessGroup& group,
                                   const Progress& progress) const;
  // Ranks by the model: computes the rows of all nodes, each rank those of its
  // batches, before.
  absl::StatusOr<RankSummary> RankByModel(Split split, Learner& learner,
                                          ProcessGroup& group,
                                          const Progress& progress);

 private:
  LinkRanking(const RankingLoaders& loaders, const GraphSchema& schema);
  absl::Status ReadSplit(DistLoader* loader, const Progress& progress,
                         TypedLinks* links);
  absl::StatusOr<EntityRows> RowsOfAllNodes(Learner& learner,
                                            ProcessGroup& group,
                                            const Progress& progress);

  const RankingLoaders& loaders_;
  const GraphSchema schema_;
  std::vector<std::string> relation_names_;
  std::vector<RelationEnds> relations_;
  std::vector<TypedLinks> links_{3};  // by Split
  std::unique_ptr<const KnownAnswers> known_;
};

// Sets the result's figures of the test split.
void SetTestRanks(const RankSummary& ranks, TrainResult* result);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_LINK_RANKING_H_
