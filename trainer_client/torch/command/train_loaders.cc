#include "trainer_client/torch/command/train_loaders.h"

#include <optional>
#include <utility>

#include "common/fleet/graph_name.h"
#include "common/text/status.h"
#include "trainer_client/core/inputs/input_file.h"
#include "trainer_client/torch/command/sample_again.h"
#include "trainer_client/torch/sessions/link_times.h"

namespace tributary {
namespace {

// Makes the options of the training loader those of the loaders of evaluation.
void SetEvaluation(const TrainArguments& a, NeighborLoaderOptions* options) {
  options->shuffle = ShuffleMode::kNone;
  options->num_neighbors = a.eval_num_neighbors;
  if (a.eval_batch_size > 0) options->batch_size = a.eval_batch_size;
}

absl::StatusOr<std::unique_ptr<DistLoader>> OpenSplit(
    const std::string& split, NeighborLoaderOptions options,
    BatchSource& source) {
  if (split.empty()) return nullptr;
  options.input_split = split;
  return source.Open(options);
}

}  // namespace

absl::Status OwnedTrainLoaders::Open(const TrainArguments& a,
                                     const RankEnvironment& rank,
                                     BatchSource& source) {
  NeighborLoaderOptions options = a.loader;
  const ModelOptions& model = a.train.model;
  options.collect_degrees = model.model == "gcn" && model.norm == "both";
  options.rank = static_cast<uint32_t>(rank.rank);
  options.world = static_cast<uint32_t>(rank.world);
  source_ = a.source;
  if (!a.input_weight_file.empty()) {
    ASSIGN_OR_RETURN(weights_, ReadWeightFile(a.input_weight_file));
  }
  return a.link ? OpenLinks(a, std::move(options), source)
                : OpenNodes(a, std::move(options), source);
}

absl::Status OwnedTrainLoaders::OpenNodes(const TrainArguments& a,
                                          NeighborLoaderOptions options,
                                          BatchSource& source) {
  train_session_ = options;
  train_session_.input_weight = weights_;
  ASSIGN_OR_RETURN(train_, source.Open(train_session_));
  options.shuffle = ShuffleMode::kNone;
  if (a.train.counts_classes() || a.train.needs_labels()) {
    NeighborLoaderOptions labels = options;
    labels.collect = {CollectedColumn::kY};
    labels.feature_dtype = FeatureDType::kStored;
    labels.collect_degrees = false;
    labels.num_neighbors = {1};
    ASSIGN_OR_RETURN(labels_, source.Open(labels));
  }
  SetEvaluation(a, &options);
  valid_name_ = a.valid_split;
  test_name_ = a.test_split;
  ASSIGN_OR_RETURN(valid_, OpenSplit(a.valid_split, options, source));
  ASSIGN_OR_RETURN(test_, OpenSplit(a.test_split, options, source));
  return absl::OkStatus();
}

absl::Status OwnedTrainLoaders::OpenLinks(const TrainArguments& a,
                                          NeighborLoaderOptions options,
                                          BatchSource& source) {
  // The graph decides on defaults, so its schema is read first.
  ASSIGN_OR_RETURN(Loader probe,
                   source.Open(LinkSessions::Probe(*a.link, options)));
  const GraphSchema schema = probe->schema();
  probe.reset();
  LinkSampling sampling = *a.link;
  ASSIGN_OR_RETURN(sampling.types, ExpandPatterns(schema, a.link->types));
  for (const LinkSplits& splits : sampling.types) {
    if (!splits.edge_type.empty()) link_types_.push_back(splits.edge_type);
  }
  RETURN_IF_ERROR(ReadLinkTimes(schema, options.draws.time, &sampling.types));
  const LinkSessions sessions(
      sampling, sampling.exclude
                    ? *sampling.exclude
                    : DefaultExclude(schema, sampling.types, options.draws));
  train_session_ = sessions.Train(options, options);
  train_session_.input_weight = weights_;
  ASSIGN_OR_RETURN(train_, source.Open(train_session_));
  SetEvaluation(a, &options);
  if (RanksAllEntities(a.train.metric_of_task())) {
    return OpenRanking(sessions, schema, options, source);
  }
  const auto open = [&](std::string LinkSplits::*split, Loader& links,
                        Loader& negatives) -> absl::Status {
    const std::optional<EvaluationSessions> made = sessions.Evaluation(
        split, a.train.metric_of_task(), schema, options, options);
    if (!made) return absl::OkStatus();
    ASSIGN_OR_RETURN(links, source.Open(made->links));
    if (made->negatives) {
      ASSIGN_OR_RETURN(negatives, source.Open(*made->negatives));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(open(&LinkSplits::valid, valid_, valid_negatives_));
  return open(&LinkSplits::test, test_, test_negatives_);
}

absl::Status OwnedTrainLoaders::OpenRanking(
    const LinkSessions& sessions, const GraphSchema& schema,
    const NeighborLoaderOptions& options, BatchSource& source) {
  constexpr std::array kSplits{&LinkSplits::train, &LinkSplits::valid,
                               &LinkSplits::test};
  for (size_t i = 0; i < kSplits.size(); ++i) {
    const std::optional<SessionOptions> session =
        sessions.Links(kSplits[i], options);
    if (!session) continue;
    ASSIGN_OR_RETURN(links_[i], source.Open(*session));
  }
  for (const auto& session : sessions.Entities(schema, options, options)) {
    entities_.emplace_back();
    if (!session) continue;
    ASSIGN_OR_RETURN(entities_.back(), source.Open(*session));
  }
  return absl::OkStatus();
}

TrainLoaders OwnedTrainLoaders::get() {
  RankingLoaders ranking{.train = links_[0].get(),
                         .valid = links_[1].get(),
                         .test = links_[2].get(),
                         .release_links = [this] { ReleaseLinks(); }};
  for (const Loader& loader : entities_) {
    ranking.entities.push_back(loader.get());
  }
  return {.train = train_.get(),
          .valid = valid_.get(),
          .test = test_.get(),
          .labels = labels_.get(),
          .release_labels = [this] { ReleaseLabels(); },
          .valid_negatives = valid_negatives_.get(),
          .test_negatives = test_negatives_.get(),
          .valid_name = valid_name_,
          .test_name = test_name_,
          .sample_again =
              [this](uint64_t epoch, uint64_t index) {
                return SampleAgain(epoch, index);
              },
          .ranking = std::move(ranking)};
}

std::string OwnedTrainLoaders::SampleAgain(uint64_t epoch,
                                           uint64_t index) const {
  // A checkpoint of another batch size: the index has other inputs than in a
  // whole epoch.
  const Cursor begin = train_->CursorAfter(0);
  if (begin.consumed != begin.next_index * train_session_.batch_size) return "";
  BatchSourceOptions source = source_;
  if (!source.worker.graph_name.empty()) {
    // The version that the run has, not the newest one.
    const GraphSchema& schema = train_->schema();
    source.worker.graph_name =
        VersionedName(schema.name, schema.content_digest);
  }
  return SampleAgainCommand(source, train_session_, epoch, index);
}

void OwnedTrainLoaders::Cancel() {
  MutexLock lock(mutex_);
  for (const auto* loader : {&train_, &labels_, &valid_, &valid_negatives_,
                             &test_, &test_negatives_}) {
    if (*loader) (*loader)->Cancel();
  }
  for (const Loader& loader : links_) {
    if (loader) loader->Cancel();
  }
  for (const Loader& loader : entities_) {
    if (loader) loader->Cancel();
  }
}

void OwnedTrainLoaders::ReleaseLinks() {
  std::array<Loader, 3> links;  // destroyed after the lock, as below
  MutexLock lock(mutex_);
  links = std::move(links_);
}

void OwnedTrainLoaders::ReleaseLabels() {
  Loader labels;  // destroyed after the lock: it waits for its streams
  MutexLock lock(mutex_);
  labels = std::move(labels_);
}

}  // namespace tributary
