// Learned rows that live on the servers: DGL's DistEmbedding.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_DIST_EMBEDDING_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_DIST_EMBEDDING_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/torch/embedding/row_gradients.h"

namespace tributary {

struct DistEmbeddingOptions {
  std::string name;  // of its DistTensor
  int64_t num_embeddings = 0;
  int64_t embedding_dim = 0;  // 1 or more
  InitialValues initial;
  std::string policy;       // of DistTensorOptions
  bool persistent = false;  // of DistTensorOptions
  // Divides the gradient of a row by how often the batch has looked it up, as
  // DGL does; else lookups are summed, as torch does.
  bool average_duplicates = false;
};

// A table of rows [num_embeddings, embedding_dim], float32, of which a batch
// reads those that it needs; autograd records them, and an optimizer
// (sparse_optimizer.h) pushes their gradients to the servers. Used by one
// thread.
//
//   ASSIGN_OR_RETURN(auto rows, DistEmbedding::Create(
//       *context, {.name = "author", .num_embeddings = 1134649,
//                  .embedding_dim = 64, .policy = "node:author"}));
//   ASSIGN_OR_RETURN(auto sparse, SparseAdam::Create(
//       *context, {rows.get()}, {.learning_rate = 0.06}));
//   for (const at::Tensor& n_id : batches) {
//     ASSIGN_OR_RETURN(const at::Tensor x, rows->Forward(n_id));
//     optimizer.zero_grad();  // torch's, of the model
//     RETURN_IF_ERROR(ddp->Backward(LossOf(model->forward(x))));
//     optimizer.step();
//     RETURN_IF_ERROR(sparse->Step());
//   }
class DistEmbedding {
 public:
  // A collective. Errors of DistTensor::Create; INVALID_ARGUMENT for a
  // dimension below 1.
  static absl::StatusOr<std::unique_ptr<DistEmbedding>> Create(
      DistContext& context, const DistEmbeddingOptions& options);
  // The same over a tensor. INVALID_ARGUMENT unless it is float32 and has a
  // dimension.
  static absl::StatusOr<std::unique_ptr<DistEmbedding>> Over(
      std::unique_ptr<DistTensor> rows, bool average_duplicates = false);

  // Returns [ids.numel(), dim] on the device of `ids`, int64 [n] on any device;
  // reads each distinct row once. Where autograd records (no NoGradGuard), so
  // does this object, until an optimizer takes the gradients: so evaluate under
  // a NoGradGuard, or memory grows. INVALID_ARGUMENT for other tensors; errors
  // of DistTensor::Read. May throw what LibTorch throws.
  absl::StatusOr<at::Tensor> Forward(const at::Tensor& ids);
  // Begins to read what the next Forward() will ask for. Changes no value.
  absl::Status Prefetch(const at::Tensor& ids);
  void Prefetch(absl::Span<const int64_t> ids);

  // For optimizers.

  // Returns the gradients of all lookups since the last call that a backward
  // pass has reached, and forgets the lookups.
  SummedRows TakeGradients();
  // Forgets the gradients that a backward pass has left. Lookups that none has
  // reached yet wait for theirs.
  void ZeroGrad();

  DistTensor& rows() const { return *rows_; }
  int64_t dim() const { return rows_->options().dim; }

 private:
  // The rows that Forward() has read while autograd was on.
  struct Lookup {
    DistinctRows distinct;
    at::Tensor leaf;  // [distinct.rows, dim], on the CPU
  };

  DistEmbedding(std::unique_ptr<DistTensor> rows, bool average_duplicates)
      : rows_(std::move(rows)), average_duplicates_(average_duplicates) {}

  const std::unique_ptr<DistTensor> rows_;
  const bool average_duplicates_;
  std::unique_ptr<RowPrefetch> prefetch_;
  std::vector<Lookup> lookups_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_DIST_EMBEDDING_H_
