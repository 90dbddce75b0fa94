#include "trainer_client/core/session/session_bound.h"

#include <algorithm>

#include "common/proto/session.pb.h"
#include "common/session/batch_bound.h"
#include "common/session/kinds/layerwise_spec.h"
#include "common/session/kinds/ppr_spec.h"
#include "common/session/kinds/walk_spec.h"
#include "common/session/spec_builder.h"
#include "partition/schema/edge_direction.h"
#include "trainer_client/core/session/collected_features.h"
#include "trainer_client/core/session/link_session.h"

namespace tributary {
namespace {

// Of a batch of walks, which may visit nodes of every type.
uint64_t WalkBoundOf(const GraphSchema& schema, const v1::SessionSpec& spec) {
  WalkBoundInputs bound;
  for (const auto& type : schema.node_types) {
    bound.node_types.push_back({type.name,
                                static_cast<uint64_t>(type.num_nodes),
                                NodeRowBytes(type, spec)});
  }
  bound.num_inputs =
      std::min<uint64_t>(spec.batch_size(), spec.inputs().count());
  bound.walk_length = spec.walk().length();
  bound.walks_per_node = spec.walk().walks_per_input();
  return WalkBatchBytesBound(bound);
}

uint64_t PprBoundOf(const GraphSchema& schema, const v1::SessionSpec& spec) {
  const NodeTypeSchema& type =
      schema.node_types[schema.FindNodeType(spec.inputs().node_type())];
  PprBoundInputs bound;
  bound.node_type = type.name;
  bound.num_nodes = static_cast<uint64_t>(type.num_nodes);
  bound.row_bytes = NodeRowBytes(type, spec);
  bound.num_inputs =
      std::min<uint64_t>(spec.batch_size(), spec.inputs().count());
  bound.top_k = spec.ppr().top_k();
  return PprBatchBytesBound(bound);
}

uint64_t LayerwiseBoundOf(const GraphSchema& schema,
                          const v1::SessionSpec& spec) {
  const EdgeTypeSchema& type =
      schema.edge_types[schema.FindEdgeType(spec.layerwise().edge_type())];
  const NodeTypeSchema& node_type = schema.node_types[type.src_type];
  LayerwiseBoundInputs bound;
  bound.node_type = node_type.name;
  bound.edge_type = type.name();
  bound.num_nodes = static_cast<uint64_t>(node_type.num_nodes);
  bound.num_edges = static_cast<uint64_t>(type.num_edges);
  bound.node_row_bytes = NodeRowBytes(node_type, spec);
  bound.edge_row_bytes = EdgeRowBytes(type, spec);
  bound.num_inputs =
      std::min<uint64_t>(spec.batch_size(), spec.inputs().count());
  bound.nodes_per_layer.assign(spec.layerwise().nodes_per_layer().begin(),
                               spec.layerwise().nodes_per_layer().end());
  return LayerwiseBatchBytesBound(bound);
}

uint64_t BoundOf(const GraphSchema& schema, const v1::SessionSpec& spec) {
  if (spec.has_walk()) return WalkBoundOf(schema, spec);
  if (spec.has_ppr()) return PprBoundOf(schema, spec);
  if (spec.has_layerwise()) return LayerwiseBoundOf(schema, spec);
  BatchBoundInputs bound;
  for (const auto& type : schema.node_types) {
    bound.node_types.push_back({type.name,
                                static_cast<uint64_t>(type.num_nodes),
                                NodeRowBytes(type, spec)});
  }
  for (const auto& wanted : NeighborsOf(spec).fanouts()) {
    const int i = schema.FindEdgeType(wanted.edge_type());
    if (i < 0) continue;
    const auto drawn = DrawnTypes(
        schema, i, static_cast<EdgeDirection>(NeighborsOf(spec).edge_dir()));
    if (!drawn.ok()) continue;  // and so such a session is not opened
    for (const int stored : *drawn) {
      const EdgeTypeSchema& type = schema.edge_types[stored];
      bound.edge_types.push_back(
          {wanted.edge_type(),
           type.src_type,
           type.dst_type,
           static_cast<uint64_t>(type.num_edges),
           EdgeRowBytes(type, spec),
           {wanted.per_hop().begin(), wanted.per_hop().end()}});
    }
  }
  bound.num_inputs =
      std::min<uint64_t>(spec.batch_size(), spec.inputs().count());
  if (spec.has_link()) {
    FillLinkBound(schema, spec, &bound);
  } else {
    bound.input_type = schema.FindNodeType(spec.inputs().node_type());
  }
  bound.replace = NeighborsOf(spec).replace();
  bound.expand_all = NeighborsOf(spec).expand() == v1::EXPAND_ALL;
  bound.disjoint = NeighborsOf(spec).disjoint();
  bound.subgraph = static_cast<SubgraphType>(NeighborsOf(spec).subgraph_type());
  bound.edge_weights = NeighborsOf(spec).draw() == v1::DRAW_LABOR;
  return BatchBytesBound(bound);
}

}  // namespace

uint64_t BatchBytesBoundOf(const GraphSchema& schema,
                           const v1::SessionSpec& spec) {
  const uint64_t bound = BoundOf(schema, spec);
  const uint64_t scales = ScaleTensorBytes(schema, spec);
  return bound > UINT64_MAX - scales ? UINT64_MAX : bound + scales;
}

}  // namespace tributary
