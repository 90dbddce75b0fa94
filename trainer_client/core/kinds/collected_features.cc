#include "trainer_client/core/kinds/collected_features.h"

#include <optional>

#include "common/proto/session.pb.h"
#include "partition/schema/feature_columns.h"
#include "partition/schema/stored_degrees.h"

namespace tributary {
namespace {

FeatureDType RequestedDType(const v1::SessionSpec& spec) {
  return static_cast<FeatureDType>(spec.feature_dtype());
}

}  // namespace

void SampledTypes::AddNodes(const std::string& node_type) {
  const int type = schema_.FindNodeType(node_type);
  if (type >= 0) nodes_.insert(type);
}

void SampledTypes::AddEnds(const std::string& edge_type) {
  const int type = schema_.FindEdgeType(edge_type);
  if (type < 0) return;
  nodes_.insert(schema_.edge_types[type].src_type);
  nodes_.insert(schema_.edge_types[type].dst_type);
}

void SampledTypes::AddEdges(const std::string& edge_type,
                            EdgeDirection direction) {
  AddEnds(edge_type);
  const int type = schema_.FindEdgeType(edge_type);
  if (type < 0) return;
  emitted_.insert(type);
  const auto drawn = DrawnTypes(schema_, type, direction);
  if (drawn.ok()) edges_.insert(drawn->begin(), drawn->end());
}

uint64_t NodeRowBytes(const NodeTypeSchema& type, const v1::SessionSpec& spec) {
  if (!spec.collect_features()) return 0;
  return FeatureRowBytes(type.x, RequestedDType(spec)) +
         FeatureRowBytes(type.y, FeatureDType::kStored);
}

uint64_t EdgeRowBytes(const EdgeTypeSchema& type, const v1::SessionSpec& spec) {
  if (!spec.collect_features()) return 0;
  return FeatureRowBytes(type.edge_attr, RequestedDType(spec));
}

uint64_t ScaleTensorBytes(const GraphSchema& schema,
                          const v1::SessionSpec& spec) {
  constexpr uint64_t kPerTensor = 256;  // its entry, padding, and a short name
  uint64_t bytes = 0;
  const auto add = [&](const std::optional<ColumnSchema>& stored,
                       const std::string& type) {
    if (!stored.has_value()) return;
    if (!HasScale(*stored, RequestedDType(spec))) return;
    bytes += kPerTensor + 2 * type.size();
  };
  for (const auto& type : schema.node_types) add(type.x, type.name);
  for (const auto& type : schema.edge_types) add(type.edge_attr, type.name());
  return bytes;
}

absl::Status CheckCollectedFeatures(const SampledTypes& types,
                                    const v1::SessionSpec& spec) {
  return CheckFeatureDType(types.schema(), types.nodes(), types.edges(),
                           RequestedDType(spec));
}

absl::Status CheckCollectedDegrees(const SampledTypes& types,
                                   const v1::SessionSpec& spec) {
  if (!spec.collect_degrees()) return absl::OkStatus();
  return CheckDegreesStored(types.schema(), types.emitted());
}

}  // namespace tributary
