#include "trainer_client/torch/embedding/dist_input_embedding.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/nn/type_key.h"

namespace tributary {
namespace {

// Calls f(rows) with the ids of each page's rows.
template <typename F>
absl::Status ForEachPageIds(const DistTensor& tensor, F f) {
  constexpr size_t kPageBytes = size_t{16} << 20;
  const auto most = static_cast<int64_t>(
      std::max<size_t>(1, kPageBytes / tensor.row_bytes()));
  const int64_t end = tensor.options().num_rows;
  std::vector<int64_t> ids;
  for (int64_t first = 0; first < end; first += most) {
    ids.resize(static_cast<size_t>(std::min(most, end - first)));
    std::iota(ids.begin(), ids.end(), first);
    RETURN_IF_ERROR(f(ids));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ForEachPage(
    DistTensor& rows,
    const std::function<absl::Status(int64_t first,
                                     absl::Span<const uint8_t> values)>& page) {
  std::vector<uint8_t> values;
  return ForEachPageIds(rows, [&](const std::vector<int64_t>& ids) {
    values.resize(ids.size() * rows.row_bytes());
    RETURN_IF_ERROR(rows.Read(ids, absl::MakeSpan(values)));
    return page(ids.front(), values);
  });
}

absl::StatusOr<std::shared_ptr<DistInputEmbedding>> DistInputEmbedding::Create(
    DistContext* context, const TypeTable& types,
    const DistInputOptions& options) {
  std::shared_ptr<DistInputEmbedding> made(new DistInputEmbedding());
  made->context_ = context;
  made->by_type_.resize(types.node_types.size());
  for (size_t t = 0; t < types.node_types.size(); ++t) {
    if (types.feature_dim[t] > 0) continue;
    made->values_ += static_cast<uint64_t>(types.num_nodes[t]) *
                     static_cast<uint64_t>(options.channels);
  }
  if (made->values_ == 0) {
    return absl::InvalidArgumentError(
        "all node types have features, so there is no row to learn on the "
        "servers; allowed: --sparse-embedding without --node-feats, which "
        "learns rows for all types instead, or neither");
  }
  if (context != nullptr) RETURN_IF_ERROR(made->Open(*context, types, options));
  return made;
}

absl::Status DistInputEmbedding::Open(DistContext& context,
                                      const TypeTable& types,
                                      const DistInputOptions& options) {
  std::vector<DistEmbedding*> all;
  for (size_t t = 0; t < types.node_types.size(); ++t) {
    // A type without nodes has no rows, and no batch asks for one.
    if (types.feature_dim[t] > 0 || types.num_nodes[t] == 0) continue;
    const std::string& type = types.node_types[t];
    // The gain of ReLU, as DenseEmbedding's.
    ASSIGN_OR_RETURN(
        by_type_[t],
        DistEmbedding::Create(
            context, {.name = absl::StrCat("embedding.", type),
                      .num_embeddings = types.num_nodes[t],
                      .embedding_dim = options.channels,
                      .initial = {.kind = InitialValues::Kind::kXavierUniform,
                                  .low = std::sqrt(2.0),
                                  .random_seed = options.random_seed},
                      .policy = absl::StrCat("node:", type)}));
    types_.push_back(
        {.parameter = absl::StrCat("embedding.", TypeKey(type), ".weight"),
         .rows = &by_type_[t]->rows()});
    all.push_back(by_type_[t].get());
  }
  ASSIGN_OR_RETURN(optimizer_, SparseOptimizer::Create(
                                   &context.rounds(), context.rank(),
                                   options.optimizer, options.step, all));
  return absl::OkStatus();
}

at::Tensor DistInputEmbedding::Rows(size_t type, const at::Tensor& n_id) {
  TORCH_CHECK(context_ != nullptr, "rows on servers without servers");
  if (by_type_[type] == nullptr) {
    return at::empty({0, types_.front().rows->options().dim},
                     n_id.options().dtype(at::kFloat));
  }
  absl::StatusOr<at::Tensor> rows = by_type_[type]->Forward(n_id);
  if (status_.ok()) status_ = rows.status();
  TORCH_CHECK(rows.ok(), rows.status().ToString());
  return *std::move(rows);
}

void DistInputEmbedding::Prefetch(size_t type, absl::Span<const int64_t> n_id) {
  if (by_type_[type] != nullptr) by_type_[type]->Prefetch(n_id);
}

uint64_t DistInputEmbedding::bytes(int state) const {
  return values_ * sizeof(float) * static_cast<uint64_t>(1 + state);
}

DistInputEmbedding::Tables DistInputEmbedding::MakeTables() const {
  Tables tables;
  for (const TypeRows& of_type : types_) {
    const DistTensorOptions& shape = of_type.rows->options();
    tables.emplace_back(of_type.parameter,
                        at::empty({shape.num_rows, shape.dim}, at::kFloat));
  }
  return tables;
}

absl::Status DistInputEmbedding::ReadAll(const Tables& tables) const {
  for (size_t i = 0; i < types_.size(); ++i) {
    DistTensor& rows = *types_[i].rows;
    auto* const to =
        static_cast<uint8_t*>(tables.at(i).second.mutable_data_ptr());
    RETURN_IF_ERROR(
        ForEachPage(rows, [&](int64_t first, absl::Span<const uint8_t> values) {
          std::copy(values.begin(), values.end(),
                    to + static_cast<size_t>(first) * rows.row_bytes());
          return absl::OkStatus();
        }));
  }
  return absl::OkStatus();
}

absl::Status DistInputEmbedding::SetAll(const Tables& tables) const {
  for (size_t i = 0; i < types_.size(); ++i) {
    DistTensor& rows = *types_[i].rows;
    const auto* const from =
        static_cast<const uint8_t*>(tables.at(i).second.const_data_ptr());
    const size_t bytes = rows.row_bytes();
    RETURN_IF_ERROR(ForEachPageIds(rows, [&](const std::vector<int64_t>& ids) {
      return rows.Set(ids, absl::MakeConstSpan(
                               from + static_cast<size_t>(ids.front()) * bytes,
                               ids.size() * bytes));
    }));
  }
  return absl::OkStatus();
}

absl::Status DistInputEmbedding::ReserveSaved() {
  for (size_t i = saved_.size(); i < types_.size(); ++i) {
    DistTensorOptions options = types_[i].rows->options();
    options.name += "#best";
    ASSIGN_OR_RETURN(saved_.emplace_back(),
                     DistTensor::Create(*context_, options));
  }
  return absl::OkStatus();
}

absl::Status DistInputEmbedding::Save() {
  for (size_t i = 0; i < types_.size(); ++i) {
    RETURN_IF_ERROR(saved_.at(i)->CopyFrom(*types_[i].rows));
  }
  return absl::OkStatus();
}

absl::Status DistInputEmbedding::Restore() {
  for (size_t i = 0; i < types_.size(); ++i) {
    RETURN_IF_ERROR(types_[i].rows->CopyFrom(*saved_.at(i)));
  }
  return absl::OkStatus();
}

}  // namespace tributary
