#include "partition/schema/spec_graph.h"

namespace tributary {

SpecGraph SpecGraphOf(const GraphSchema& schema) {
  SpecGraph graph;
  graph.name = schema.name;
  graph.content_digest = schema.content_digest;
  graph.layout_digest = schema.layout_digest;
  for (const auto& type : schema.node_types) {
    graph.node_types.push_back(type.name);
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    if (!schema.IsVisible(static_cast<int>(t))) continue;
    graph.edge_types.push_back(schema.edge_types[t].name());
    if (schema.edge_types[t].reverse) {
      graph.reverses.insert(graph.edge_types.back());
    }
  }
  return graph;
}

}  // namespace tributary
