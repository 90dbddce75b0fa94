#include "trainer_client/core/kinds/collected_features.h"

#include <optional>

#include "common/proto/session.pb.h"
#include "partition/schema/feature_columns.h"
#include "partition/schema/stored_degrees.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

FeatureDType RequestedDType(const v1::SessionSpec& spec) {
  return static_cast<FeatureDType>(spec.feature_dtype());
}

// The specification is the client's own.
CollectedColumns Collected(const v1::SessionSpec& spec) {
  return CollectedColumnsOf(spec).value_or(CollectedColumns());
}

bool HasSeedTimes(const v1::SessionSpec& spec) {
  return !spec.inputs().node_type().empty() &&
         spec.inputs().time() != v1::INPUT_TIME_NONE;
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
  return CollectedRowBytes(type, Collected(spec), RequestedDType(spec));
}

uint64_t EdgeRowBytes(const EdgeTypeSchema& type, const v1::SessionSpec& spec) {
  const CollectedColumns collect = Collected(spec);
  uint64_t bytes = 0;
  if (collect.has(CollectedColumn::kEdgeAttr)) {
    bytes += FeatureRowBytes(type.edge_attr, RequestedDType(spec));
  }
  if (collect.has(CollectedColumn::kWeight) && type.weighted) {
    bytes += DTypeSize(type.weight_dtype);
  }
  return bytes;
}

uint64_t MoreTensorBytes(const GraphSchema& schema,
                         const v1::SessionSpec& spec) {
  constexpr uint64_t kPerTensor = 256;  // its entry, padding, and a short name
  const CollectedColumns collect = Collected(spec);
  uint64_t bytes = 0;
  const auto add = [&](bool has, const std::string& type) {
    if (has) bytes += kPerTensor + 2 * type.size();
  };
  const auto scaled = [&](const std::optional<ColumnSchema>& stored) {
    return stored.has_value() && HasScale(*stored, RequestedDType(spec));
  };
  for (const NodeTypeSchema& type : schema.node_types) {
    add(scaled(type.x), type.name);
    add(type.timed && collect.has(CollectedColumn::kTime), type.name);
  }
  for (const EdgeTypeSchema& type : schema.edge_types) {
    add(scaled(type.edge_attr), type.name());
    add(type.weighted && collect.has(CollectedColumn::kWeight), type.name());
  }
  if (collect.has(CollectedColumn::kSeedTime)) {
    add(true, spec.inputs().node_type());
    bytes += spec.batch_size() * sizeof(int64_t);
  }
  return bytes;
}

absl::Status CheckCollectedFeatures(const SampledTypes& types,
                                    const v1::SessionSpec& spec) {
  const CollectedColumns collect = Collected(spec);
  std::vector<int> nodes, edges;
  if (collect.has(CollectedColumn::kX)) nodes = types.nodes();
  if (collect.has(CollectedColumn::kEdgeAttr)) edges = types.edges();
  const absl::Status precision =
      CheckFeatureDType(types.schema(), nodes, edges, RequestedDType(spec));
  if (!precision.ok()) return precision;
  return CheckColumnsStored(types.schema(), types.nodes(), types.edges(),
                            HasSeedTimes(spec), collect);
}

absl::Status CheckCollectedDegrees(const SampledTypes& types,
                                   const v1::SessionSpec& spec) {
  if (!spec.collect_degrees()) return absl::OkStatus();
  return CheckDegreesStored(types.schema(), types.emitted());
}

absl::Status CheckOmittedEdgeIds(const SampledTypes& types,
                                 const v1::SessionSpec& spec) {
  if (!spec.omit_edge_ids() || !types.emitted().empty()) {
    return absl::OkStatus();
  }
  return BadLoaderOption("omit_edge_ids",
                         "true, but the session's batches have no edges",
                         "false");
}

}  // namespace tributary
