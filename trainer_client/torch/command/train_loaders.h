// The loaders of one rank of `tributary-train`. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_LOADERS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_LOADERS_H_

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/runtime/mutex.h"
#include "trainer_client/torch/command/train_arguments.h"
#include "trainer_client/torch/ddp/rank_environment.h"
#include "trainer_client/torch/sessions/batch_source.h"
#include "trainer_client/torch/sessions/link_sessions.h"
#include "trainer_client/torch/train/trainer.h"

namespace tributary {

// Opens and owns what Train() reads. One thread opens; any may cancel.
class OwnedTrainLoaders {
 public:
  // Opens the loaders that the arguments name. Errors are those of
  // BatchSource::Open().
  absl::Status Open(const TrainArguments& a, const RankEnvironment& rank,
                    BatchSource& source);

  // Returns the loaders, which this object keeps. Its release_labels destroys
  // the one of labels, its ranking.release_links those of links.
  TrainLoaders get();

  // Returns the edge types of the links, without patterns; none where the graph
  // has one edge type that is not named.
  const std::vector<std::string>& link_types() const { return link_types_; }

  // Cancels all loaders. Thread-safe.
  void Cancel();

 private:
  using Loader = std::unique_ptr<DistLoader>;

  absl::Status OpenNodes(const TrainArguments& a, NeighborLoaderOptions options,
                         BatchSource& source);
  absl::Status OpenLinks(const TrainArguments& a, NeighborLoaderOptions options,
                         BatchSource& source);
  // Opens what a ranking among all nodes reads; `options` are those of the
  // evaluation.
  absl::Status OpenRanking(const LinkSessions& sessions,
                           const GraphSchema& schema,
                           const NeighborLoaderOptions& options,
                           BatchSource& source);
  void ReleaseLabels();
  // See TrainLoaders.
  std::string SampleAgain(uint64_t epoch, uint64_t index) const;
  void ReleaseLinks();

  std::vector<std::string> link_types_;
  std::array<Loader, 3> links_;   // train, valid, test; of a ranking
  std::vector<Loader> entities_;  // by node type; of a ranking
  Loader train_, labels_, valid_, valid_negatives_, test_, test_negatives_;
  std::string valid_name_ = "valid", test_name_ = "test";
  BatchSourceOptions source_;     // where batches come from
  SessionOptions train_session_;  // of train_
  std::vector<double> weights_;   // of its inputs; empty: none
  Mutex mutex_;  // keeps Cancel() from a loader that is being destroyed
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_TRAIN_LOADERS_H_
