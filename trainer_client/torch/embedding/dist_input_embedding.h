// Rows of nodes without features that live on the servers: a model's
// --sparse-embedding.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_DIST_INPUT_EMBEDDING_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_DIST_INPUT_EMBEDDING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "trainer_client/tensors/dist_context.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/embedding/dist_embedding.h"
#include "trainer_client/torch/embedding/sparse_optimizer.h"
#include "trainer_client/torch/nn/input_embedding.h"

namespace tributary {

struct DistInputOptions {
  int64_t channels = 0;      // columns of all rows
  uint64_t random_seed = 0;  // of the rows' first values
  SparseOptimizerKind optimizer = SparseOptimizerKind::kAdam;
  SparseStepOptions step;
};

// Has a DistEmbedding of the name "embedding.TYPE" for each node type without
// features, and one optimizer of all of them. Rows begin as DenseEmbedding's
// do, with other draws. It has no parameters of its own: a rank's memory holds
// a batch's rows. Used by one thread.
class DistInputEmbedding final : public InputEmbedding {
 public:
  // The rows of one node type.
  struct TypeRows {
    std::string parameter;  // DenseEmbedding's: "embedding.<type>.weight"
    DistTensor* rows = nullptr;
  };
  // Tensors [nodes, channels] by such a name, as a model without servers has.
  using Tables = std::vector<std::pair<std::string, at::Tensor>>;

  // A collective. INVALID_ARGUMENT if all types have features; errors of
  // DistTensor::Create. `context` outlives the object; null: rows cannot be
  // read, and nothing is created, for plans of a run.
  static absl::StatusOr<std::shared_ptr<DistInputEmbedding>> Create(
      DistContext* context, const TypeTable& types,
      const DistInputOptions& options);

  // Throws c10::Error where rows cannot be read; status() has the cause.
  at::Tensor Rows(size_t type, const at::Tensor& n_id) override;
  // Begins to read the rows that the next Rows() of the type will ask for.
  void Prefetch(size_t type, absl::Span<const int64_t> n_id);
  // The first error of Rows().
  const absl::Status& status() const { return status_; }

  // Requires a context.
  SparseOptimizer& optimizer() const { return *optimizer_; }
  // The types' rows, ascending by type.
  const std::vector<TypeRows>& types() const { return types_; }
  // Returns the bytes of all rows, of `state` values beside each value.
  uint64_t bytes(int state = 0) const;

  // Returns tables for all rows, with no values yet.
  Tables MakeTables() const;
  // Read or set all rows, page by page: not collectives. Require tables as
  // MakeTables() returns them.
  absl::Status ReadAll(const Tables& tables) const;
  absl::Status SetAll(const Tables& tables) const;

  // Collectives for the best epoch's rows, tensors of the name
  // "embedding.TYPE#best".

  // Creates them, or finds those of a snapshot.
  absl::Status ReserveSaved();
  // Copy the rows there and back. Require ReserveSaved().
  absl::Status Save();
  absl::Status Restore();

 private:
  DistInputEmbedding() = default;
  absl::Status Open(DistContext& context, const TypeTable& types,
                    const DistInputOptions& options);

  DistContext* context_ = nullptr;
  uint64_t values_ = 0;                                  // of all rows
  std::vector<std::unique_ptr<DistEmbedding>> by_type_;  // null: has features
  std::vector<TypeRows> types_;
  std::vector<std::unique_ptr<DistTensor>> saved_;  // as types_
  std::unique_ptr<SparseOptimizer> optimizer_;
  absl::Status status_;
};

// Calls `page` with the rows [first, first + n) of a tensor, float32 [n, dim],
// from the first to the last, as many as fit 16 MiB at a time.
absl::Status ForEachPage(
    DistTensor& rows,
    const std::function<absl::Status(int64_t first,
                                     absl::Span<const uint8_t> values)>& page);
}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_DIST_INPUT_EMBEDDING_H_
