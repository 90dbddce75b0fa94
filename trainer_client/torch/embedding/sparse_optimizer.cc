#include "trainer_client/torch/embedding/sparse_optimizer.h"

#include "common/text/status.h"
#include "trainer_client/tensors/gradient_rounds.h"
#include "trainer_client/torch/embedding/dist_embedding.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<SparseOptimizer>> SparseOptimizer::Create(
    GradientRounds* rounds, int rank, SparseOptimizerKind kind,
    const SparseStepOptions& step, std::vector<DistEmbedding*> embeddings) {
  for (DistEmbedding* embedding : embeddings) {
    RETURN_IF_ERROR(embedding->rows().AttachOptimizer(kind));
  }
  return std::unique_ptr<SparseOptimizer>(
      new SparseOptimizer(rounds, rank, step, std::move(embeddings)));
}

absl::Status SparseOptimizer::Step() {
  RETURN_IF_ERROR(Push(static_cast<uint32_t>(rank_)));
  return Close();
}

absl::Status SparseOptimizer::Push(uint32_t place) {
  std::vector<SummedRows> sums;
  for (DistEmbedding* embedding : embeddings_) {
    sums.push_back(embedding->TakeGradients());
    RETURN_IF_ERROR(CheckFinite(embedding->rows(), sums.back().rows,
                                sums.back().gradients));
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].rows.empty()) continue;
    RETURN_IF_ERROR(rounds_->Push(embeddings_[i]->rows(), place, sums[i].rows,
                                  sums[i].gradients, step_));
  }
  return absl::OkStatus();
}

absl::Status SparseOptimizer::Close() { return rounds_->Close(); }

void SparseOptimizer::ZeroGrad() {
  for (DistEmbedding* embedding : embeddings_) embedding->ZeroGrad();
}

absl::StatusOr<std::unique_ptr<SparseOptimizer>> SparseSgd::Create(
    DistContext& context, std::vector<DistEmbedding*> embeddings,
    const Options& options) {
  return SparseOptimizer::Create(
      &context.rounds(), context.rank(), SparseOptimizerKind::kSgd,
      {.learning_rate = options.learning_rate}, std::move(embeddings));
}

absl::StatusOr<std::unique_ptr<SparseOptimizer>> SparseAdagrad::Create(
    DistContext& context, std::vector<DistEmbedding*> embeddings,
    const Options& options) {
  return SparseOptimizer::Create(
      &context.rounds(), context.rank(), SparseOptimizerKind::kAdagrad,
      {.learning_rate = options.learning_rate, .eps = options.eps},
      std::move(embeddings));
}

absl::StatusOr<std::unique_ptr<SparseOptimizer>> SparseAdam::Create(
    DistContext& context, std::vector<DistEmbedding*> embeddings,
    const Options& options) {
  return SparseOptimizer::Create(&context.rounds(), context.rank(),
                                 SparseOptimizerKind::kAdam,
                                 {.learning_rate = options.learning_rate,
                                  .eps = options.eps,
                                  .beta1 = options.beta1,
                                  .beta2 = options.beta2},
                                 std::move(embeddings));
}

}  // namespace tributary
