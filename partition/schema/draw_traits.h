// The data of an edge type that draws depend on, taken from the graph's schema.
#ifndef TRIBUTARY_PARTITION_SCHEMA_DRAW_TRAITS_H_
#define TRIBUTARY_PARTITION_SCHEMA_DRAW_TRAITS_H_

#include "common/session/draw_options.h"
#include "partition/schema/schema.h"

namespace tributary {

// Returns the traits of `type` for CheckDrawsOn.
inline DrawTraits::EdgeType DrawTraitsOf(const EdgeTypeSchema& type) {
  DrawTraits::EdgeType traits;
  traits.name = type.name();
  traits.weights = type.weighted;
  traits.edge_times = type.timed;
  traits.neighbor_times = type.neighbor_timed;
  traits.neighbor_ids = type.neighbor_ids;
  traits.columns.weights = type.weighted;
  traits.columns.times = type.timed;
  traits.columns.self_loops = type.src_type == type.dst_type;
  traits.columns.masks = type.masks;
  if (type.edge_attr.has_value()) {
    traits.columns.attr = type.edge_attr->value_dtype();
    traits.columns.attr_width = type.edge_attr->width();
  }
  return traits;
}

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_DRAW_TRAITS_H_
