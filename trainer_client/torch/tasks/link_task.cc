#include "trainer_client/torch/tasks/link_task.h"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/tasks/append_floats.h"
#include "trainer_client/torch/tasks/link_candidates.h"
#include "trainer_client/torch/tasks/link_decoder.h"
#include "trainer_client/torch/tasks/softmax_loss.h"

namespace tributary {
namespace {

// Collectives carry numbers of inputs as doubles, exact up to 2^53.
constexpr int kInputBits = 36;

bool IsTriplet(const LinkLabels& links) {
  return links.dst_neg_index.defined();
}

absl::Status CheckLinks(const MiniBatch& batch) {
  if (batch.links.empty()) {
    return absl::InvalidArgumentError("the batch has no links to train on");
  }
  return absl::OkStatus();
}

absl::Status CheckZeroToOne(const at::Tensor& labels) {
  const at::Tensor wrong = ((labels >= 0) & (labels <= 1)).logical_not();
  if (!wrong.any().item<bool>()) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(
      "a link has the label ", labels.masked_select(wrong)[0].item<float>(),
      "; allowed: 0 to 1"));
}

class LinkTask final : public TrainingTask {
 public:
  LinkTask(const LinkTaskOptions& options, const TypeTable& types,
           std::shared_ptr<LinkScorer> scorer)
      : options_(options), types_(types), scorer_(std::move(scorer)) {}

  int64_t out_channels() const override { return options_.channels; }
  std::shared_ptr<torch::nn::Module> decoder() const override {
    return scorer_;
  }

  absl::StatusOr<at::Tensor> Loss(const MiniBatch& batch,
                                  const TypeTensors& out,
                                  Tally* tally) override {
    RETURN_IF_ERROR(CheckLinks(batch));
    for (const LinkLabels& links : batch.links) {
      const auto n = static_cast<double>(links.input_id.numel());
      tally->labelled += n;
      tally->inputs += n;
    }
    ASSIGN_OR_RETURN(const at::Tensor sum,
                     options_.loss == LinkLoss::kSoftmax
                         ? SoftmaxLoss(batch, types_, out, *scorer_)
                         : LossByNegatives(batch, out));
    if (!sum.defined()) {
      return absl::InvalidArgumentError("the batch has no links to train on");
    }
    tally->loss += sum.item<double>();
    return sum;
  }

  std::unique_ptr<CandidateScorer> Candidates(const EntityRows& rows) override {
    return std::make_unique<DecodedCandidates>(types_, scorer_, rows);
  }

  absl::Status Predict(const MiniBatch& batch, const TypeTensors& out,
                       PredictionRows* rows) override {
    RETURN_IF_ERROR(CheckLinks(batch));
    for (const LinkLabels& links : batch.links) {
      if (links.input_id.numel() == 0) continue;
      RETURN_IF_ERROR(IsTriplet(links) ? AddTriplets(batch, links, out, rows)
                                       : AddPairs(batch, links, out, rows));
    }
    return absl::OkStatus();
  }

 private:
  const at::Tensor& Rows(const TypeTensors& out, size_t type) const {
    return out.at(type);
  }
  const TypeTable::Relation& RelationOf(const LinkLabels& links) const {
    return types_.relations.at(links.relation);
  }

  // Undefined without links.
  absl::StatusOr<at::Tensor> LossByNegatives(const MiniBatch& batch,
                                             const TypeTensors& out) const {
    at::Tensor sum;
    for (const LinkLabels& links : batch.links) {
      if (links.input_id.numel() == 0) continue;
      ASSIGN_OR_RETURN(const at::Tensor loss,
                       IsTriplet(links) ? TripletLoss(batch, links, out)
                                        : BinaryLoss(batch, links, out));
      sum = sum.defined() ? sum + loss : loss;
    }
    return sum;
  }

  // [n + m], links first.
  at::Tensor PairScores(const MiniBatch& batch, const LinkLabels& links,
                        const TypeTensors& out) const {
    const TypeTable::Relation& relation = RelationOf(links);
    const at::Tensor src =
        Rows(out, relation.src_type).index_select(0, links.edge_label_index[0]);
    const at::Tensor dst =
        Rows(out, relation.dst_type).index_select(0, links.edge_label_index[1]);
    return scorer_->Score(links.relation, src, dst, batch.draw_key);
  }

  // [n, 1 + amount], the links' column first.
  at::Tensor TripletScores(const MiniBatch& batch, const LinkLabels& links,
                           const TypeTensors& out) const {
    const TypeTable::Relation& relation = RelationOf(links);
    const at::Tensor ends =
        at::cat({links.dst_pos_index.unsqueeze(1), links.dst_neg_index}, 1);
    const at::Tensor src =
        Rows(out, relation.src_type).index_select(0, links.src_index);
    const at::Tensor dst = Rows(out, relation.dst_type)
                               .index_select(0, ends.flatten())
                               .view({ends.size(0), ends.size(1), -1});
    return scorer_->Score(links.relation, src.unsqueeze(1), dst,
                          batch.draw_key);
  }

  absl::StatusOr<at::Tensor> BinaryLoss(const MiniBatch& batch,
                                        const LinkLabels& links,
                                        const TypeTensors& out) const {
    if (!links.edge_label.defined()) {
      return absl::InvalidArgumentError(
          "the batch's links have neither labels nor negatives to train on; "
          "allowed: with negatives (--neg-sampling binary, triplet)");
    }
    RETURN_IF_ERROR(CheckZeroToOne(links.edge_label));
    const at::Tensor scores = PairScores(batch, links, out);
    const at::Tensor mean = at::binary_cross_entropy_with_logits(
        scores, links.edge_label.to(scores.scalar_type()), {}, {},
        at::Reduction::Mean);
    return mean * static_cast<double>(links.input_id.numel());
  }

  absl::StatusOr<at::Tensor> TripletLoss(const MiniBatch& batch,
                                         const LinkLabels& links,
                                         const TypeTensors& out) const {
    const at::Tensor scores = TripletScores(batch, links, out);
    const at::Tensor negatives = scores.slice(1, 1);
    return -at::log_sigmoid(scores.slice(1, 0, 1) - negatives).mean(1).sum();
  }

  absl::Status AddTriplets(const MiniBatch& batch, const LinkLabels& links,
                           const TypeTensors& out, PredictionRows* rows) const {
    const at::Tensor scores = TripletScores(batch, links, out);
    at::Tensor labels = at::zeros_like(scores);
    labels.select(1, 0).fill_(1);
    return Append(links, labels, scores, rows);
  }

  absl::Status AddPairs(const MiniBatch& batch, const LinkLabels& links,
                        const TypeTensors& out, PredictionRows* rows) const {
    const at::Tensor scores = PairScores(batch, links, out);
    at::Tensor labels = at::ones_like(scores);
    if (links.edge_label.defined()) {
      RETURN_IF_ERROR(CheckZeroToOne(links.edge_label));
      labels = links.edge_label;
    }
    const int64_t n = links.input_id.numel();
    const int64_t columns = (scores.numel() + n - 1) / n;
    const int64_t missing = columns * n - scores.numel();
    const auto by_link = [&](const at::Tensor& values) {
      return at::constant_pad_nd(values, {0, missing}, NAN)
          .view({columns, n})
          .t();
    };
    return Append(links, by_link(labels), by_link(scores), rows);
  }

  // Adds [n, columns] of both.
  absl::Status Append(const LinkLabels& links, const at::Tensor& labels,
                      const at::Tensor& scores, PredictionRows* rows) const {
    const auto columns = static_cast<size_t>(scores.size(1));
    if (!rows->input_numbers.empty() && rows->columns != columns) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a batch has ", columns - 1, " negatives per link, others have ",
          rows->columns - 1, "; allowed: as many in all batches"));
    }
    rows->columns = columns;
    const uint64_t first = uint64_t{links.relation} << kInputBits;
    const int64_t* ids = links.input_id.const_data_ptr<int64_t>();
    for (int64_t i = 0; i < links.input_id.numel(); ++i) {
      rows->input_numbers.push_back(first + static_cast<uint64_t>(ids[i]));
    }
    AppendFloats(labels, &rows->labels);
    AppendFloats(scores, &rows->predictions);
    return absl::OkStatus();
  }

  const LinkTaskOptions options_;
  const TypeTable types_;
  const std::shared_ptr<LinkScorer> scorer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TrainingTask>> MakeLinkTask(
    const LinkTaskOptions& options, const TypeTable& types,
    uint64_t random_seed) {
  ASSIGN_OR_RETURN(std::shared_ptr<LinkScorer> scorer,
                   MakeLinkScorer(options, types, random_seed));
  return std::make_unique<LinkTask>(options, types, std::move(scorer));
}

}  // namespace tributary
