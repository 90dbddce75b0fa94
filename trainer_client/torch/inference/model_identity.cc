#include "trainer_client/torch/inference/model_identity.h"

#include <ATen/ATen.h>

#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/hash/sha256.h"
#include "trainer_client/core/session_text/session_text.h"
#include "trainer_client/torch/embedding/dist_input_embedding.h"
#include "trainer_client/torch/inference/prediction_sessions.h"

namespace tributary {
namespace {

void Add(const torch::nn::Module& module, Sha256& sha) {
  for (const auto& p : module.named_parameters()) {
    const at::Tensor values = p.value().detach().to(at::kCPU).contiguous();
    sha.UpdateU64(p.key().size());
    sha.Update(std::string_view(p.key()));
    sha.UpdateU64(static_cast<uint64_t>(values.dim()));
    for (const int64_t size : values.sizes()) {
      sha.UpdateU64(static_cast<uint64_t>(size));
    }
    sha.Update(absl::Span<const uint8_t>(
        static_cast<const uint8_t*>(values.const_data_ptr()), values.nbytes()));
  }
}

// Rows on the servers are read page by page: the predictions depend on them.
void AddRows(const GnnModel& model, Sha256& sha) {
  for (const auto& module : model.modules(/*include_self=*/false)) {
    const auto rows = std::dynamic_pointer_cast<DistInputEmbedding>(module);
    if (rows == nullptr) continue;
    for (const DistInputEmbedding::TypeRows& of_type : rows->types()) {
      sha.UpdateU64(of_type.parameter.size());
      sha.Update(std::string_view(of_type.parameter));
      const absl::Status status = ForEachPage(
          *of_type.rows, [&sha](int64_t, absl::Span<const uint8_t> values) {
            sha.Update(values);
            return absl::OkStatus();
          });
      TORCH_CHECK(status.ok(), status.ToString());
    }
  }
}

std::string DigestOf(const GnnModel& model, const TrainingTask& task) {
  Sha256 sha;
  Add(model, sha);
  AddRows(model, sha);
  if (const auto decoder = task.decoder()) Add(*decoder, sha);
  return ToHex(sha.Finish());
}

// The options that the parameters' shapes do not tell.
std::string ModelText(const TrainOptions& train, const PredictOptions& p) {
  const ModelOptions& m = train.model;
  std::string text = absl::StrCat(
      "model ", m.model, ", layers ", m.num_layers, ", aggr ", m.aggr,
      ", norm ", m.norm, ", heads ", m.heads, ", row_normalize ",
      train.row_normalize ? "yes" : "no", ", feature_dtype ",
      static_cast<int>(p.loader.feature_dtype));
  if (const auto* link = std::get_if<LinkTaskOptions>(&train.task)) {
    absl::StrAppend(&text, ", decoder ", static_cast<int>(link->decoder));
  }
  return text;
}

// How neighbours are drawn; empty: as by default.
std::string DrawsText(const DrawOptions& draws) {
  const auto text = TextOf(
      SessionOptions(CommonLoaderOptions(), NeighborOptions{.draws = draws}));
  return !text.ok() || text->given().empty()
             ? ""
             : absl::StrCat(", ", SessionJson(*text));
}

// Of what DrawsText() says, only conditions have an effect on all neighbours.
DrawOptions OnlyConditions(const DrawOptions& draws) {
  DrawOptions conditions;
  conditions.edge_predicates = draws.edge_predicates;
  conditions.edge_mask = draws.edge_mask;
  return conditions;
}

std::string SamplingText(const PredictOptions& p) {
  const NeighborLoaderOptions& loader = p.loader;
  return absl::StrCat(
      NumNeighborsText(p.eval_num_neighbors), ", batch_size ", p.batch_size,
      ", random_seed ", loader.random_seed, loader.replace ? ", replace" : "",
      loader.expand_all ? ", expand all" : "", DrawsText(loader.draws));
}

// Of the fanouts only which are 0 has an effect.
std::string LayerwiseText(NumNeighbors fanouts) {
  const auto simplify = [](std::vector<int32_t>& of_type) {
    for (int32_t& fanout : of_type) fanout = fanout == 0 ? 0 : -1;
  };
  simplify(fanouts.by_default);
  for (auto& [type, of_type] : fanouts.by_edge_type) simplify(of_type);
  return NumNeighborsText(fanouts);
}

}  // namespace

PredictionIdentity IdentityOf(const GraphSchema& schema, const GnnModel& model,
                              const TrainingTask& task,
                              const TrainOptions& train,
                              const PredictOptions& options) {
  PredictionTarget target = options.target;
  target.type = PredictionSessions(options).target_type();
  return {
      {"graph", absl::StrCat(schema.name, "@", ToHex(schema.content_digest))},
      {"model", DigestOf(model, task)},
      {"target", target.ToString()},
      {"inference", options.layerwise() ? "layerwise" : "sampled"},
      {"options", ModelText(train, options)},
      {"sampling",
       options.layerwise()
           ? absl::StrCat(LayerwiseText(options.eval_num_neighbors),
                          DrawsText(OnlyConditions(options.loader.draws)))
           : SamplingText(options)}};
}

}  // namespace tributary
