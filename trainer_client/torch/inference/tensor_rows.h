// Rows of files as tensors, and back.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_TENSOR_ROWS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_TENSOR_ROWS_H_

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/inference/row_file.h"

namespace tributary {

// Writes `rows` [n, ...] of any device, float32 or int64 as the file's, at the
// rows `at`, int64 [n]. Errors of RowWriter::Write.
absl::Status WriteTensor(const at::Tensor& at, const at::Tensor& rows,
                         RowWriter& file);

// The rows of one layer, of the node types that it has computed.
class StoredLayer {
 public:
  // Returns the shape of the file of a node type, [num_nodes, channels].
  static RowShape ShapeOf(const TypeTable& types, size_t type,
                          int64_t channels);
  // Maps the files of `layer`, from 1, of the types `stored`. DATA_LOSS for a
  // file of another shape.
  static absl::StatusOr<StoredLayer> Open(const std::string& folder, int layer,
                                          const TypeTable& types,
                                          const std::vector<bool>& stored,
                                          int64_t channels);

  // Returns the batch's rows, float32 [N, channels] on `device`, of each type
  // of `has_rows`; none of a type that is not stored.
  TypeTensors RowsOf(const MiniBatch& batch, const std::vector<bool>& has_rows,
                     const c10::Device& device) const;

 private:
  explicit StoredLayer(int64_t channels) : channels_(channels) {}

  int64_t channels_;
  std::vector<std::optional<RowMapping>> files_;  // by node type
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_TENSOR_ROWS_H_
