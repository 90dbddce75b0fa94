#include "trainer_client/torch/embedding/dist_embedding.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::StatusOr<DistinctRows> DistinctOf(const at::Tensor& ids) {
  if (!ids.defined() || ids.scalar_type() != at::kLong || ids.dim() != 1) {
    return absl::InvalidArgumentError(
        "ids of an embedding; allowed: an int64 tensor of one dimension");
  }
  const at::Tensor own = ids.to(at::kCPU).contiguous();
  return DistinctRows::Of(absl::MakeConstSpan(
      own.const_data_ptr<int64_t>(), static_cast<size_t>(own.numel())));
}

absl::Span<uint8_t> BytesOf(const at::Tensor& t) {
  return absl::MakeSpan(static_cast<uint8_t*>(t.mutable_data_ptr()),
                        t.nbytes());
}

}  // namespace

absl::StatusOr<std::unique_ptr<DistEmbedding>> DistEmbedding::Create(
    DistContext& context, const DistEmbeddingOptions& options) {
  if (options.embedding_dim < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("embedding_dim of ", options.name, " is ",
                     options.embedding_dim, ", allowed are 1 and more"));
  }
  ASSIGN_OR_RETURN(
      std::unique_ptr<DistTensor> rows,
      DistTensor::Create(context, {.name = options.name,
                                   .num_rows = options.num_embeddings,
                                   .dim = options.embedding_dim,
                                   .dtype = DType::kFloat32,
                                   .initial = options.initial,
                                   .policy = options.policy,
                                   .persistent = options.persistent}));
  return Over(std::move(rows), options.average_duplicates);
}

absl::StatusOr<std::unique_ptr<DistEmbedding>> DistEmbedding::Over(
    std::unique_ptr<DistTensor> rows, bool average_duplicates) {
  const DistTensorOptions& options = rows->options();
  if (options.dtype != DType::kFloat32 || options.dim < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an embedding over the tensor ", options.name,
        "; allowed: a tensor of float32 with a dimension of 1 or more"));
  }
  return std::unique_ptr<DistEmbedding>(
      new DistEmbedding(std::move(rows), average_duplicates));
}

absl::StatusOr<at::Tensor> DistEmbedding::Forward(const at::Tensor& ids) {
  ASSIGN_OR_RETURN(DistinctRows distinct, DistinctOf(ids));
  at::Tensor leaf = at::empty(
      {static_cast<int64_t>(distinct.rows.size()), dim()}, at::kFloat);
  RETURN_IF_ERROR(
      rows_->Read(distinct.rows, BytesOf(leaf), std::move(prefetch_)));
  const bool records = at::GradMode::is_enabled();
  if (records) leaf.set_requires_grad(true);
  at::Tensor values = leaf.to(ids.device());
  if (!distinct.identity) {
    const at::Tensor position =
        at::from_blob(distinct.position.data(),
                      {static_cast<int64_t>(distinct.position.size())},
                      at::kLong)
            .clone();
    values = values.index_select(0, position.to(ids.device()));
  }
  if (records) lookups_.push_back({std::move(distinct), std::move(leaf)});
  return values;
}

absl::Status DistEmbedding::Prefetch(const at::Tensor& ids) {
  ASSIGN_OR_RETURN(const DistinctRows distinct, DistinctOf(ids));
  prefetch_ = rows_->Prefetch(distinct.rows);
  return absl::OkStatus();
}

void DistEmbedding::Prefetch(absl::Span<const int64_t> ids) {
  prefetch_ = rows_->Prefetch(DistinctRows::Of(ids).rows);
}

void DistEmbedding::ZeroGrad() {
  lookups_.erase(std::remove_if(lookups_.begin(), lookups_.end(),
                                [](const Lookup& lookup) {
                                  return lookup.leaf.grad().defined();
                                }),
                 lookups_.end());
}

SummedRows DistEmbedding::TakeGradients() {
  RowGradients sums(static_cast<size_t>(dim()));
  for (Lookup& lookup : std::exchange(lookups_, {})) {
    if (!lookup.leaf.grad().defined()) continue;  // no loss depends on it
    const at::Tensor gradient = lookup.leaf.grad().contiguous();
    sums.Add(std::move(lookup.distinct.rows), std::move(lookup.distinct.count),
             absl::MakeConstSpan(gradient.const_data_ptr<float>(),
                                 static_cast<size_t>(gradient.numel())));
  }
  return sums.Take(average_duplicates_);
}

}  // namespace tributary
