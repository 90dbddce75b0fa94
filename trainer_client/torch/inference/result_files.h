// The files of a prediction's result, which all ranks fill.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_RESULT_FILES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_RESULT_FILES_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/inference/row_file.h"
#include "trainer_client/torch/inference/tensor_rows.h"

namespace tributary {

// The rows of a batch's inputs; those of files that there are not stay
// undefined.
struct ResultRows {
  at::Tensor at;           // int64 [n], numbers in the target
  at::Tensor ids;          // int64 [n], or [n, 2] of links
  at::Tensor predictions;  // float32 [n, classes or columns], or [n] of links
  at::Tensor embeddings;   // float32 [n, hidden], or [n, 2, hidden] of links
};

// The shapes of files by their name, such as "ids.npy".
using ResultShapes = std::map<std::string, RowShape>;

// Used by one thread.
class ResultFiles {
 public:
  static constexpr char kIds[] = "ids.npy";
  static constexpr char kPredictions[] = "predictions.npy";
  static constexpr char kEmbeddings[] = "embeddings.npy";

  // Creates the files in `folder`, under names that end in ".part".
  static absl::Status Create(const std::string& folder,
                             const ResultShapes& shapes);
  // Opens those that Create has made, in any process.
  static absl::StatusOr<ResultFiles> Open(const std::string& folder,
                                          const ResultShapes& shapes);

  // INTERNAL for rows of another shape than the file's.
  absl::Status Write(const ResultRows& rows);
  absl::Status Sync();

 private:
  struct File {
    RowShape shape;
    RowWriter writer;
  };
  std::map<std::string, File> files_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_RESULT_FILES_H_
