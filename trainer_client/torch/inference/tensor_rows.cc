#include "trainer_client/torch/inference/tensor_rows.h"

#include <ATen/ATen.h>

#include <utility>

#include "common/text/status.h"
#include "trainer_client/torch/inference/prediction_folder.h"

namespace tributary {
namespace {

// Returns all rows of a file as a tensor that shares its memory.
at::Tensor TensorOf(const RowMapping& file, int64_t channels) {
  auto* data = const_cast<uint8_t*>(file.rows().data());
  if (file.shape().rows() == 0) return at::empty({0, channels}, at::kFloat);
  return at::from_blob(data, {file.shape().rows(), channels}, at::kFloat);
}

}  // namespace

absl::Status WriteTensor(const at::Tensor& at, const at::Tensor& rows,
                         RowWriter& file) {
  const at::Tensor index = at.to(at::kCPU, at::kLong).contiguous();
  const at::Tensor values = rows.detach().to(at::kCPU).contiguous();
  return file.Write(
      {index.const_data_ptr<int64_t>(), static_cast<size_t>(index.numel())},
      {static_cast<const uint8_t*>(values.const_data_ptr()), values.nbytes()});
}

RowShape StoredLayer::ShapeOf(const TypeTable& types, size_t type,
                              int64_t channels) {
  return {.type = {'f', 4}, .shape = {types.num_nodes.at(type), channels}};
}

absl::StatusOr<StoredLayer> StoredLayer::Open(const std::string& folder,
                                              int layer, const TypeTable& types,
                                              const std::vector<bool>& stored,
                                              int64_t channels) {
  StoredLayer rows(channels);
  for (size_t t = 0; t < stored.size(); ++t) {
    rows.files_.emplace_back();
    if (!stored[t]) continue;
    ASSIGN_OR_RETURN(
        rows.files_.back(),
        RowMapping::Open(LayerPath(folder, layer, types.node_types[t]),
                         ShapeOf(types, t, channels)));
  }
  return rows;
}

TypeTensors StoredLayer::RowsOf(const MiniBatch& batch,
                                const std::vector<bool>& has_rows,
                                const c10::Device& device) const {
  TypeTensors rows(files_.size());
  for (size_t t = 0; t < files_.size(); ++t) {
    if (!has_rows[t]) continue;
    rows[t] = files_[t] ? TensorOf(*files_[t], channels_)
                              .index_select(0, batch.n_id[t].to(at::kCPU))
                        : at::empty({0, channels_}, at::kFloat);
    rows[t] = rows[t].to(device);
  }
  return rows;
}

}  // namespace tributary
