// Optimizers of embeddings whose rows, and the optimizer's state beside them,
// live on the servers: DGL's dgl.distributed.optim. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_SPARSE_OPTIMIZER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_SPARSE_OPTIMIZER_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {

class DistEmbedding;

// Steps the rows that batches have read. A step is a round of GradientRounds:
// the servers sum the gradients of each row over all ranks, by place, and step
// it once when every rank has closed the round. So all ranks must make the same
// number of steps, with the same options; a rank without a batch calls Step(),
// too. Reads that come later see the step. Used by one thread. Errors are those
// of GradientRounds.
//
// In DGL's order, dense and sparse parameters in one step:
//
//   optimizer.zero_grad();
//   RETURN_IF_ERROR(ddp->Backward(loss));  // loss.backward() of a single rank
//   optimizer.step();                      // torch's, of the model
//   RETURN_IF_ERROR(sparse->Step());
//
// With several batches of a rank in a step, as places of one round:
//
//   for (uint32_t b = 0; b < batches; ++b) {
//     const at::Tensor loss = LossOf(b) / batches;
//     RETURN_IF_ERROR(b + 1 < batches ? ddp->Accumulate(loss)
//                                     : ddp->Backward(loss));
//     RETURN_IF_ERROR(sparse->Push(b * world + rank));
//   }
//   RETURN_IF_ERROR(sparse->Close());
class SparseOptimizer {
 public:
  // Attaches the optimizer's state to the embeddings, which must outlive the
  // object: a collective. ALREADY_EXISTS if one has another optimizer's.
  static absl::StatusOr<std::unique_ptr<SparseOptimizer>> Create(
      GradientRounds* rounds, int rank, SparseOptimizerKind kind,
      const SparseStepOptions& step, std::vector<DistEmbedding*> embeddings);

  // Pushes all gradients since the last push, at this rank's place, and closes
  // the round.
  absl::Status Step();

  // Step() in parts: pushes the gradients at a place of the running round.
  // OUT_OF_RANGE, naming the embedding, for a gradient that is not finite:
  // nothing of the batch is pushed then.
  absl::Status Push(uint32_t place);
  // Closes the round: its pushes become a step. Until then rows do not change.
  absl::Status Close();

  // Forgets the gradients since the last push. As in torch, it may stand
  // between Forward() and its backward pass.
  void ZeroGrad();

  // The options of the next step's pushes, which must be equal at all ranks.
  void set_learning_rate(double rate) { step_.learning_rate = rate; }
  // A factor of the summed gradients, such as 1 / ranks.
  void set_scale(double scale) { step_.scale = scale; }
  const SparseStepOptions& options() const { return step_; }

 private:
  SparseOptimizer(GradientRounds* rounds, int rank,
                  const SparseStepOptions& step,
                  std::vector<DistEmbedding*> embeddings)
      : rounds_(rounds),
        rank_(rank),
        step_(step),
        embeddings_(std::move(embeddings)) {}

  GradientRounds* const rounds_;
  const int rank_;
  SparseStepOptions step_;
  const std::vector<DistEmbedding*> embeddings_;
};

// The optimizers by their names, with torch's defaults. Adam counts steps by
// row, as DGL's.

struct SparseSgd {
  struct Options {
    double learning_rate = 0.01;
  };
  static absl::StatusOr<std::unique_ptr<SparseOptimizer>> Create(
      DistContext& context, std::vector<DistEmbedding*> embeddings,
      const Options& options);
};

struct SparseAdagrad {
  struct Options {
    double learning_rate = 0.01;
    double eps = 1e-10;
  };
  static absl::StatusOr<std::unique_ptr<SparseOptimizer>> Create(
      DistContext& context, std::vector<DistEmbedding*> embeddings,
      const Options& options);
};

struct SparseAdam {
  struct Options {
    double learning_rate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
  };
  static absl::StatusOr<std::unique_ptr<SparseOptimizer>> Create(
      DistContext& context, std::vector<DistEmbedding*> embeddings,
      const Options& options);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_SPARSE_OPTIMIZER_H_
