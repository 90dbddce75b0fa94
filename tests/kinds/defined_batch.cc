#include "tests/kinds/defined_batch.h"

namespace tributary {

CollectedColumns UsualColumns(const CollectedColumns& columns) {
  CollectedColumns usual = CollectedColumns::None();
  for (const CollectedColumn column :
       {CollectedColumn::kX, CollectedColumn::kY, CollectedColumn::kEdgeAttr}) {
    if (columns.has(column)) usual.Add(column);
  }
  return usual;
}

DefinedBatch::DefinedBatch(const MemoryGraphSpec& graph,
                           const SpecOptions& options,
                           const BatchRequest& request)
    : graph_(graph),
      options_(options),
      request_(request),
      input_type_(options.input_type.empty() ? graph.node_types[0].name
                                             : options.input_type) {
  for (const int64_t id : request.original_id) {
    seed_index_.push_back(Number(input_type_, id));
  }
  unique_inputs_ = ids_[input_type_].size();
}

int32_t DefinedBatch::Number(const std::string& type, int64_t id) {
  auto& ids = ids_[type];
  const auto [it, fresh] =
      numbers_[type].emplace(id, static_cast<int32_t>(ids.size()));
  if (fresh) ids.push_back(id);
  return it->second;
}

void DefinedBatch::PutFeatures(const std::string& name,
                               const std::string& suffix,
                               std::vector<uint64_t> dims,
                               const std::vector<float>& values, bool scaled) {
  AddExpectedFeatures(name, suffix, std::move(dims), values, scaled,
                      options_.feature_dtype, &tensors_);
}

void DefinedBatch::PutDegrees(
    const std::vector<std::pair<int64_t, int64_t>>& edges,
    const std::string& suffix, const std::string& node_type) {
  if (!options_.collect_degrees) return;
  const std::vector<int64_t>& nodes = ids_[node_type];
  AddExpectedDegrees(edges, suffix, nodes, nodes, &tensors_);
}

void DefinedBatch::PutNodes(const MemoryGraphSpec::NodeType& type) {
  const auto& ids = ids_[type.name];
  const uint64_t n = ids.size();
  Put<int64_t>("n_id" + Suffix(type.name), DType::kInt64, {n}, ids);
  if (options_.collect.has(CollectedColumn::kTime) && !type.time.empty()) {
    std::vector<int64_t> times;
    for (const int64_t id : ids) times.push_back(type.time[id]);
    Put<int64_t>("time" + Suffix(type.name), DType::kInt64, {n}, times);
  }
  std::vector<float> x;
  std::vector<int64_t> y;
  for (const int64_t id : ids) {
    for (int64_t j = 0; j < type.x_dim; ++j) {
      x.push_back(static_cast<float>(id) + static_cast<float>(j) / 8);
    }
    y.push_back(3 * id);
  }
  const auto dim = static_cast<uint64_t>(type.x_dim);
  if (dim > 0 && options_.collect.has(CollectedColumn::kX)) {
    PutFeatures("x", Suffix(type.name), {n, dim}, x, type.scaled);
  }
  if (type.has_y && options_.collect.has(CollectedColumn::kY)) {
    Put<int64_t>("y" + Suffix(type.name), DType::kInt64, {n}, y);
  }
}

std::string DefinedBatch::Digest(const std::set<std::string>& types) {
  const std::string in = Suffix(input_type_);
  const uint64_t n = seed_index_.size();
  Put<int64_t>("batch_size" + in, DType::kInt64, {1},
               {static_cast<int64_t>(unique_inputs_)});
  Put<int64_t>("input_id" + in, DType::kInt64, {n}, request_.input_number);
  Put<int32_t>("seed_index" + in, DType::kInt32, {n}, seed_index_);
  for (const auto& type : graph_.node_types) {
    if (types.count(type.name) > 0) PutNodes(type);
  }
  return DigestOf(tensors_);
}

}  // namespace tributary
