#include "trainer_client/core/session/collected_features.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/proto/session.pb.h"
#include "partition/schema/edge_direction.h"
#include "partition/schema/feature_columns.h"

namespace tributary {
namespace {

FeatureDType AskedBy(const v1::SessionSpec& spec) {
  return static_cast<FeatureDType>(spec.feature_dtype());
}

// Types of the schema that batches have nodes and rows of edges of.
class SampledTypes {
 public:
  explicit SampledTypes(const GraphSchema& schema) : schema_(schema) {}

  void AddNodes(const std::string& name) {
    const int type = schema_.FindNodeType(name);
    if (type >= 0) nodes_.insert(type);
  }
  void AddEnds(const std::string& name) {
    const int type = schema_.FindEdgeType(name);
    if (type < 0) return;
    nodes_.insert(schema_.edge_types[type].src_type);
    nodes_.insert(schema_.edge_types[type].dst_type);
  }
  void AddEdges(const std::string& name, EdgeDirection direction) {
    AddEnds(name);
    const int type = schema_.FindEdgeType(name);
    if (type < 0) return;
    const auto drawn = DrawnTypes(schema_, type, direction);
    if (drawn.ok()) edges_.insert(drawn->begin(), drawn->end());
  }

  std::vector<int> nodes() const { return {nodes_.begin(), nodes_.end()}; }
  std::vector<int> edges() const { return {edges_.begin(), edges_.end()}; }

 private:
  const GraphSchema& schema_;
  std::set<int> nodes_, edges_;
};

void AddNeighbors(const GraphSchema& schema,
                  const v1::NeighborSampling& neighbor, SampledTypes* types) {
  for (const auto& wanted : neighbor.fanouts()) {
    const auto& hops = wanted.per_hop();
    const bool none =
        std::all_of(hops.begin(), hops.end(), [](int k) { return k == 0; });
    if (none && schema.heterogeneous) continue;
    types->AddEdges(wanted.edge_type(),
                    static_cast<EdgeDirection>(neighbor.edge_dir()));
  }
}

SampledTypes SampledTypesOf(const GraphSchema& schema,
                            const v1::SessionSpec& spec) {
  SampledTypes types(schema);
  types.AddNodes(spec.inputs().node_type());
  types.AddEnds(spec.inputs().edge_type());
  for (const auto& list : spec.inputs().link_lists()) {
    types.AddEnds(list.edge_type());
  }
  for (const auto& step : spec.walk().step_types()) types.AddEnds(step);
  if (spec.has_layerwise()) {
    types.AddEdges(spec.layerwise().edge_type(), EdgeDirection::kIn);
  }
  AddNeighbors(schema, NeighborsOf(spec), &types);
  return types;
}

}  // namespace

uint64_t NodeRowBytes(const NodeTypeSchema& type, const v1::SessionSpec& spec) {
  if (!spec.collect_features()) return 0;
  return FeatureRowBytes(type.x, AskedBy(spec)) +
         FeatureRowBytes(type.y, FeatureDType::kStored);
}

uint64_t EdgeRowBytes(const EdgeTypeSchema& type, const v1::SessionSpec& spec) {
  if (!spec.collect_features()) return 0;
  return FeatureRowBytes(type.edge_attr, AskedBy(spec));
}

uint64_t ScaleTensorBytes(const GraphSchema& schema,
                          const v1::SessionSpec& spec) {
  constexpr uint64_t kPerTensor = 256;  // its entry, padding, and a short name
  uint64_t bytes = 0;
  const auto add = [&](const std::optional<ColumnSchema>& stored,
                       const std::string& type) {
    if (!stored.has_value() || !HasScale(stored->dtype, AskedBy(spec))) return;
    bytes += kPerTensor + 2 * type.size();
  };
  for (const auto& type : schema.node_types) add(type.x, type.name);
  for (const auto& type : schema.edge_types) add(type.edge_attr, type.name());
  return bytes;
}

absl::Status CheckCollectedFeatures(const GraphSchema& schema,
                                    const v1::SessionSpec& spec) {
  const SampledTypes types = SampledTypesOf(schema, spec);
  return CheckFeatureDType(schema, types.nodes(), types.edges(), AskedBy(spec));
}

}  // namespace tributary
