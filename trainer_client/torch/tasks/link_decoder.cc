#include "trainer_client/torch/tasks/link_decoder.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/nn/conv/glorot.h"
#include "trainer_client/torch/nn/dropout/keyed_dropout.h"
#include "trainer_client/torch/nn/seeded_draws.h"

namespace tributary {
namespace {

// Distinguishes a decoder's draws from those of the model's layers.
constexpr uint64_t kDecoderDraws = uint64_t{1} << 20;

class DotScorer final : public LinkScorer {
 public:
  at::Tensor Score(size_t, const at::Tensor& src, const at::Tensor& dst,
                   uint64_t) override {
    return (src * dst).sum(-1);
  }
  at::Tensor ScoreAll(const at::Tensor&, const at::Tensor& given,
                      const at::Tensor& candidates, uint64_t) override {
    return given.mm(candidates.t());
  }
};

class DistMultScorer final : public LinkScorer {
 public:
  // `rows` has the row of `weight` of each relation, or -1.
  DistMultScorer(std::vector<int64_t> rows, int64_t num_rows, int64_t channels)
      : rows_(std::move(rows)),
        weight_(register_parameter("weight", Glorot({num_rows, channels}))) {}

  at::Tensor Score(size_t relation, const at::Tensor& src,
                   const at::Tensor& dst, uint64_t) override {
    return (src * weight_.select(0, rows_.at(relation)) * dst).sum(-1);
  }
  at::Tensor ScoreAll(const at::Tensor& relations, const at::Tensor& given,
                      const at::Tensor& candidates, uint64_t) override {
    const at::Tensor rows = at::empty_like(relations);
    const int64_t* from = relations.const_data_ptr<int64_t>();
    auto* to = rows.mutable_data_ptr<int64_t>();
    for (int64_t i = 0; i < relations.numel(); ++i) {
      to[i] = rows_.at(static_cast<size_t>(from[i]));
      TORCH_CHECK(to[i] >= 0, "relation ", from[i], " has no links to decode");
    }
    const at::Tensor weights =
        weight_.index_select(0, rows.to(weight_.device()));
    return (given * weights).mm(candidates.t());
  }

 private:
  const std::vector<int64_t> rows_;
  at::Tensor weight_;
};

class MlpScorer final : public LinkScorer {
 public:
  MlpScorer(int64_t channels, double dropout)
      : dropout_(dropout),
        hidden_(channels, channels),
        out_(channels, 1),
        lins_(register_module("lins", torch::nn::ModuleList(hidden_, out_))) {}

  at::Tensor Score(size_t relation, const at::Tensor& src,
                   const at::Tensor& dst, uint64_t draw_key) override {
    const at::Tensor hidden =
        KeyedDropout(hidden_(src * dst).relu(), dropout_, is_training(),
                     LayerDrawKey(draw_key, kDecoderDraws, relation));
    return out_(hidden).squeeze(-1);
  }
  // Some rows at a time: their products with all candidates are [rows,
  // candidates, channels].
  at::Tensor ScoreAll(const at::Tensor&, const at::Tensor& given,
                      const at::Tensor& candidates,
                      uint64_t draw_key) override {
    constexpr int64_t kMostValues = int64_t{1} << 22;
    const int64_t rows = std::max<int64_t>(
        1, kMostValues / std::max<int64_t>(1, candidates.numel()));
    std::vector<at::Tensor> scores;
    for (int64_t at = 0; at < given.size(0); at += rows) {
      const int64_t end = std::min(at + rows, given.size(0));
      scores.push_back(Score(static_cast<size_t>(at),
                             given.slice(0, at, end).unsqueeze(1),
                             candidates.unsqueeze(0), draw_key));
    }
    return scores.empty() ? at::empty({0, candidates.size(0)}, given.options())
                          : at::cat(scores);
  }

 private:
  const double dropout_;
  torch::nn::Linear hidden_;
  torch::nn::Linear out_;
  torch::nn::ModuleList lins_;
};

// Returns the place of each relation in `edge_types`; -1: it is not there.
absl::StatusOr<std::vector<int64_t>> RowsOf(
    const std::vector<std::string>& edge_types, const TypeTable& types) {
  std::vector<int64_t> rows(types.relations.size(), -1);
  for (size_t i = 0; i < edge_types.size(); ++i) {
    size_t found = 0;
    while (found < rows.size() &&
           types.relations[found].name != edge_types[i]) {
      ++found;
    }
    if (found == rows.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the graph has no edge type \"", edge_types[i], "\""));
    }
    rows[found] = static_cast<int64_t>(i);
  }
  if (!edge_types.empty()) return rows;
  if (rows.size() == 1) return std::vector<int64_t>{0};
  return absl::InvalidArgumentError(
      absl::StrCat("no edge type is named; allowed in a graph with ",
                   rows.size(), " edge types: the links' types"));
}

}  // namespace

absl::StatusOr<std::shared_ptr<LinkScorer>> MakeLinkScorer(
    const LinkTaskOptions& options, const TypeTable& types,
    uint64_t random_seed) {
  if (options.channels < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "channels of links are ", options.channels, "; allowed: 1 or more"));
  }
  ASSIGN_OR_RETURN(std::vector<int64_t> rows,
                   RowsOf(options.edge_types, types));
  const auto num_rows =
      std::max<int64_t>(1, static_cast<int64_t>(options.edge_types.size()));
  std::shared_ptr<LinkScorer> scorer;
  RETURN_IF_ERROR(CatchTorch("decoder", [&] {
    const SeededDraws seeded(LayerDrawKey(random_seed, kDecoderDraws, 0));
    switch (options.decoder) {
      case LinkDecoder::kDot:
        scorer = std::make_shared<DotScorer>();
        break;
      case LinkDecoder::kDistMult:
        scorer = std::make_shared<DistMultScorer>(std::move(rows), num_rows,
                                                  options.channels);
        break;
      case LinkDecoder::kMlp:
        scorer = std::make_shared<MlpScorer>(options.channels, options.dropout);
        break;
    }
    return absl::OkStatus();
  }));
  return scorer;
}

}  // namespace tributary
