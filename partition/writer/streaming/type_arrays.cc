#include "partition/writer/streaming/type_arrays.h"

#include <string>
#include <utility>

#include "partition/format/paths.h"
#include "partition/writer/array_job.h"

namespace tributary {
namespace {

// Adds arrays to the list and returns their places.
class Lister {
 public:
  Lister(const GraphSchema& schema, int node_type,
         const std::vector<int64_t>& edge_ids)
      : schema_(schema), node_type_(node_type), edge_ids_(edge_ids) {}

  TypeArrays List() && {
    const NodeTypeSchema& type = schema_.node_types[node_type_];
    list_.orig_id = AddOfNodes("orig_id", kNpyInt64, {DType::kInt64, 0});
    if (type.x.has_value()) list_.x = AddColumn("x", *type.x);
    if (type.y.has_value()) list_.y = AddColumn("y", *type.y);
    if (type.timed) list_.time = AddColumn("time", {DType::kInt64, 0});
    for (size_t t = 0; t < schema_.edge_types.size(); ++t) {
      if (schema_.edge_types[t].dst_type == node_type_) {
        AddEdgeType(static_cast<int>(t));
      }
    }
    return std::move(list_);
  }

 private:
  int64_t Rows(uint32_t partition) const {
    const auto& base = schema_.node_types[node_type_].base;
    return base[partition + 1] - base[partition];
  }

  ArrayPlace AddColumn(const std::string& array, const ColumnSchema& column) {
    return AddOfNodes(array, column.array_type(), column);
  }

  ArrayPlace AddOfNodes(const std::string& array, NpyType type,
                        const ColumnSchema& column) {
    const ArrayPlace place{list_.arrays.size()};
    const std::string& name = schema_.node_types[node_type_].name;
    for (uint32_t p = 0; p < schema_.num_partitions; ++p) {
      list_.arrays.push_back(
          {NodeArrayPath(p, name, array), type, column.array_shape(Rows(p))});
    }
    return place;
  }

  ArrayPlace AddOfEdges(const EdgeTypeSchema& edges, const std::string& array,
                        NpyType type, const ColumnSchema& column = {}) {
    const ArrayPlace place{list_.arrays.size()};
    for (uint32_t p = 0; p < schema_.num_partitions; ++p) {
      list_.arrays.push_back({EdgeArrayPath(p, edges, array), type,
                              column.array_shape(edges.partition_edges[p])});
    }
    return place;
  }

  ArrayPlace AddPositions(const EdgeTypeSchema& edges,
                          const std::string& array) {
    const ArrayPlace place{list_.arrays.size()};
    for (uint32_t p = 0; p < schema_.num_partitions; ++p) {
      const int64_t count = edges.partition_edges[p];
      list_.arrays.push_back({EdgeArrayPath(p, edges, array),
                              IdType(static_cast<uint64_t>(count)),
                              {count}});
    }
    return place;
  }

  void AddEdgeType(int index) {
    const EdgeTypeSchema& edges = schema_.edge_types[index];
    EdgeArrays arrays;
    arrays.edge_type = index;
    arrays.indptr.first = list_.arrays.size();
    for (uint32_t p = 0; p < schema_.num_partitions; ++p) {
      list_.arrays.push_back(
          {EdgeArrayPath(p, edges, "indptr"), kNpyUint64, {Rows(p) + 1}});
      arrays.wide_positions.push_back(
          IdType(static_cast<uint64_t>(edges.partition_edges[p])) ==
          kNpyUint64);
    }
    const auto sources =
        static_cast<uint64_t>(schema_.node_types[edges.src_type].num_nodes);
    const NpyType source_type = IdType(sources);
    const NpyType id_type = IdType(static_cast<uint64_t>(edge_ids_[index]));
    arrays.wide_indices = source_type == kNpyUint64;
    arrays.wide_ids = id_type == kNpyUint64;
    arrays.indices = AddOfEdges(edges, "indices", source_type);
    arrays.edge_id = AddOfEdges(edges, "edge_id", id_type);
    if (edges.neighbor_ids) {
      arrays.neighbor_id = AddOfEdges(edges, "neighbor_id", source_type);
    }
    if (edges.edge_attr.has_value()) {
      arrays.edge_attr = AddOfEdges(
          edges, "edge_attr", edges.edge_attr->array_type(), *edges.edge_attr);
    }
    if (edges.weighted) {
      arrays.weight =
          AddOfEdges(edges, "weight", NpyTypeOf(edges.weight_dtype));
      arrays.weight_sum = AddOfEdges(edges, "weight_sum", kNpyUint64);
    }
    if (edges.timed) {
      arrays.edge_time = AddOfEdges(edges, "edge_time", kNpyInt64);
      arrays.edge_time_position = AddPositions(edges, "edge_time_position");
    }
    for (const std::string& mask : edges.masks) {
      arrays.masks.push_back(
          AddOfEdges(edges, MaskArray(mask), NpyTypeOf(DType::kBool)));
    }
    if (edges.neighbor_timed) {
      arrays.neighbor_time = AddOfEdges(edges, "neighbor_time", kNpyInt64);
      arrays.neighbor_time_position =
          AddPositions(edges, "neighbor_time_position");
    }
    if (edges.degrees) AddDegrees(edges, arrays);
    list_.edges.push_back(std::move(arrays));
  }

  void AddDegrees(const EdgeTypeSchema& edges, EdgeArrays& arrays) {
    // No degree exceeds the number of edges.
    const NpyType type = IdType(static_cast<uint64_t>(edges.num_edges) + 1);
    arrays.wide_degrees = type == kNpyUint64;
    arrays.in_degrees.first = list_.arrays.size();
    list_.arrays.push_back({DegreePath(edges, "in"),
                            type,
                            {schema_.node_types[node_type_].num_nodes}});
  }

  const GraphSchema& schema_;
  const int node_type_;
  const std::vector<int64_t>& edge_ids_;
  TypeArrays list_;
};

}  // namespace

TypeArrays ListTypeArrays(const GraphSchema& schema, int node_type,
                          const std::vector<int64_t>& edge_ids) {
  return Lister(schema, node_type, edge_ids).List();
}

}  // namespace tributary
