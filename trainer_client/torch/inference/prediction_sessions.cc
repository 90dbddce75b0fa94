#include "trainer_client/torch/inference/prediction_sessions.h"

#include <utility>

namespace tributary {
namespace {

// Without features no precision can be asked for.
void CollectNothing(CommonLoaderOptions& common) {
  common.collect = CollectedColumns::None();
  common.feature_dtype = FeatureDType::kStored;
}

// `draws`: of which the conditions on edges hold for all neighbours, too.
SessionOptions WithHop(CommonLoaderOptions common, const OneHop& hop,
                       const DrawOptions& draws) {
  if (!hop.collect_features) CollectNothing(common);
  common.collect_degrees = hop.collect_degrees;
  NeighborOptions neighbors;
  neighbors.num_neighbors = hop.fanouts;
  neighbors.draws.edge_predicates = draws.edge_predicates;
  neighbors.draws.edge_mask = draws.edge_mask;
  return {common, std::move(neighbors)};
}

}  // namespace

std::string PredictionSessions::target_type() const {
  if (!options_.target.type.empty()) return options_.target.type;
  if (of_links()) return options_.link->types.at(0).edge_type;
  return options_.link ? std::string() : options_.loader.input_type;
}

CommonLoaderOptions PredictionSessions::Common() const {
  CommonLoaderOptions common = options_.loader;
  common.input_split.clear();
  common.input_type.clear();
  common.input_nodes.clear();
  common.input_mask.clear();
  common.input_weight.clear();
  common.all_nodes = false;
  common.drop_last = false;
  common.shuffle = ShuffleMode::kNone;
  common.batch_size = options_.batch_size;
  return common;
}

CommonLoaderOptions PredictionSessions::TargetNodes() const {
  CommonLoaderOptions common = Common();
  common.input_type = target_type();
  common.input_split = options_.target.split;
  common.all_nodes = options_.target.all_nodes();
  return common;
}

SessionOptions PredictionSessions::Links(
    const CommonLoaderOptions& common, ExcludeMode exclude,
    const NeighborOptions& neighbors) const {
  LinkOptions link;
  link.lists.push_back(
      {.edge_type = target_type(), .input_split = options_.target.split});
  link.exclude = exclude;
  link.neighbors = neighbors;
  return {common, std::move(link)};
}

SessionOptions PredictionSessions::Probe() const {
  const OneHop hop{.fanouts = {1}};
  if (!of_links()) return Target(hop);
  CommonLoaderOptions common = Common();
  CollectNothing(common);
  NeighborOptions neighbors;
  neighbors.num_neighbors = hop.fanouts;
  return Links(common, ExcludeMode::kNone, neighbors);
}

SessionOptions PredictionSessions::Sampled(const GraphSchema& schema,
                                           bool collect_degrees) const {
  NeighborOptions neighbors = options_.loader;
  neighbors.num_neighbors = options_.eval_num_neighbors;
  if (of_links()) {
    CommonLoaderOptions common = Common();
    common.collect_degrees = collect_degrees;
    return Links(common,
                 options_.link->exclude
                     ? *options_.link->exclude
                     : DefaultExclude(schema, {{.edge_type = target_type()}}),
                 neighbors);
  }
  CommonLoaderOptions common = TargetNodes();
  common.collect_degrees = collect_degrees;
  return {common, std::move(neighbors)};
}

SessionOptions PredictionSessions::Target(const OneHop& hop) const {
  return WithHop(TargetNodes(), hop, options_.loader.draws);
}

SessionOptions PredictionSessions::AllNodes(const std::string& type,
                                            const OneHop& hop) const {
  CommonLoaderOptions common = Common();
  common.input_type = type;
  common.all_nodes = true;
  return WithHop(std::move(common), hop, options_.loader.draws);
}

}  // namespace tributary
