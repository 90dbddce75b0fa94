#include "trainer_client/torch/inference/result_files.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/inference/prediction_folder.h"

namespace tributary {

absl::Status ResultFiles::Create(const std::string& folder,
                                 const ResultShapes& shapes) {
  for (const auto& [name, shape] : shapes) {
    RETURN_IF_ERROR(CreateRowFile(PartPath(folder, name), shape));
  }
  return absl::OkStatus();
}

absl::StatusOr<ResultFiles> ResultFiles::Open(const std::string& folder,
                                              const ResultShapes& shapes) {
  ResultFiles files;
  for (const auto& [name, shape] : shapes) {
    ASSIGN_OR_RETURN(RowWriter writer,
                     RowWriter::Open(PartPath(folder, name), shape));
    files.files_.emplace(name, File{shape, std::move(writer)});
  }
  return files;
}

absl::Status ResultFiles::Write(const ResultRows& rows) {
  for (auto& [name, file] : files_) {
    const at::Tensor& of_file = name == kIds           ? rows.ids
                                : name == kPredictions ? rows.predictions
                                                       : rows.embeddings;
    std::vector<int64_t> expected = file.shape.shape;
    expected[0] = rows.at.numel();
    if (!of_file.defined() || of_file.sizes().vec() != expected) {
      return absl::InternalError(
          absl::StrCat(name, ": a batch's rows are not of the file's shape"));
    }
    RETURN_IF_ERROR(WriteTensor(rows.at, of_file, file.writer));
  }
  return absl::OkStatus();
}

absl::Status ResultFiles::Sync() {
  for (auto& [name, file] : files_) RETURN_IF_ERROR(file.writer.Sync());
  return absl::OkStatus();
}

}  // namespace tributary
