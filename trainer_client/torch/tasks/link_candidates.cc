#include "trainer_client/torch/tasks/link_candidates.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/utils.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"

namespace tributary {
namespace {

// Candidates that one thread multiplies at a time.
constexpr int64_t kPiece = 2048;

}  // namespace

DecodedCandidates::DecodedCandidates(const TypeTable& types,
                                     std::shared_ptr<LinkScorer> scorer,
                                     const EntityRows& rows)
    : types_(types), scorer_(std::move(scorer)) {
  const auto parameters = scorer_->parameters();
  const at::Device device =
      parameters.empty() ? at::Device(at::kCPU) : parameters[0].device();
  for (const std::vector<float>& values : rows.by_type) {
    rows_.emplace_back();
    if (values.empty()) continue;
    const auto n = static_cast<int64_t>(values.size()) / rows.channels;
    // from_blob takes no const memory; nothing writes to it.
    rows_.back() = at::from_blob(const_cast<float*>(values.data()),
                                 {n, rows.channels}, at::kFloat)
                       .to(device);
  }
}

absl::StatusOr<at::Tensor> DecodedCandidates::RowsOf(size_t type) const {
  if (type < rows_.size() && rows_[type].defined()) return rows_[type];
  return absl::InvalidArgumentError(absl::StrCat(
      "the model has no rows of node type ", types_.node_types.at(type),
      "; allowed: a model that computes rows of both ends of a link"));
}

absl::Status DecodedCandidates::Score(uint32_t relation, LinkEnd asked,
                                      absl::Span<const int64_t> given,
                                      absl::Span<float> scores) {
  const TypeTable::Relation& ends = types_.relations.at(relation);
  const bool source = asked == LinkEnd::kSource;
  ASSIGN_OR_RETURN(const at::Tensor candidates,
                   RowsOf(source ? ends.src_type : ends.dst_type));
  ASSIGN_OR_RETURN(const at::Tensor from,
                   RowsOf(source ? ends.dst_type : ends.src_type));
  return CatchTorch("candidates", [&] {
    const torch::NoGradGuard no_grad;
    const auto n = static_cast<int64_t>(given.size());
    const at::Tensor index = at::empty({n}, at::kLong);
    std::copy(given.begin(), given.end(), index.mutable_data_ptr<int64_t>());
    const at::Tensor rows = from.index_select(0, index.to(from.device()));
    const at::Tensor relations =
        at::full({n}, static_cast<int64_t>(relation), at::kLong);
    const int64_t total = candidates.size(0);
    const at::Tensor out = at::from_blob(scores.data(), {n, total}, at::kFloat);
    const auto score = [&](int64_t first, int64_t last) {
      const torch::NoGradGuard no_grad_here;
      for (int64_t piece = first; piece < last; ++piece) {
        const int64_t to = std::min((piece + 1) * kPiece, total);
        out.slice(1, piece * kPiece, to)
            .copy_(scorer_->ScoreAll(
                relations, rows, candidates.slice(0, piece * kPiece, to), 0));
      }
    };
    at::parallel_for(0, (total + kPiece - 1) / kPiece, 1, score);
    return absl::OkStatus();
  });
}

}  // namespace tributary
