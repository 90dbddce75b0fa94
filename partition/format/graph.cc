#include "partition/format/graph.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/format/array_reader.h"
#include "partition/format/graph_bytes.h"
#include "partition/format/graph_json.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

// The graph.json of 65,536 partitions of a homogeneous graph has some 55 MB.

IdArray ToIdArray(const MappedArray& array) {
  return array.type == kNpyUint32 ? IdArray(array.As<uint32_t>())
                                  : IdArray(array.As<uint64_t>());
}

class MappedGraph final : public Graph {
 public:
  const GraphSchema& schema() const override { return schema_; }
  const std::string& schema_json() const override { return schema_json_; }
  const std::vector<uint32_t>& partitions() const override {
    return partitions_;
  }
  absl::Status damage() const override {
    return damage_ == nullptr ? absl::OkStatus() : damage_->status();
  }
  bool reads_features() const override { return reads_features_; }
  const NodePartition* nodes(int type, uint32_t p) const override {
    return Mapped(nodes_[type], p);
  }
  const EdgePartition* edges(int type, uint32_t p) const override {
    return Mapped(edges_[type], p);
  }
  const NodeMap& node_map(int type) const override { return node_maps_[type]; }
  const DegreeArrays* degrees(int type) const override {
    return schema_.edge_types[type].degrees ? &degrees_[type] : nullptr;
  }
  const EdgeIndex* edge_index(int type) const override {
    return schema_.edge_types[type].edge_index ? &edge_indexes_[type] : nullptr;
  }
  uint64_t copied_bytes() const override { return copied_bytes_; }
  absl::StatusOr<absl::Span<const int64_t>> Split(
      int node_type, std::string_view name) const override;
  absl::StatusOr<absl::Span<const int64_t>> EdgeSplit(
      int edge_type, std::string_view name) const override;

  // Opens and checks the graph. Call once.
  absl::Status Load(const std::string& folder, const OpenOptions& options);

 private:
  template <typename T>
  static const T* Mapped(const std::vector<std::optional<T>>& parts,
                         uint32_t p) {
    return p < parts.size() && parts[p].has_value() ? &*parts[p] : nullptr;
  }
  absl::Status LoadSchema(const std::string& folder);
  absl::Status ChoosePartitions(const OpenOptions& options);
  absl::Status LoadNodeMap(const NodeTypeSchema& type, ArrayReader& reader);
  absl::Status LoadNodes(int t, uint32_t p, ArrayReader& reader);
  absl::Status LoadEdges(int t, uint32_t p, ArrayReader& reader);
  absl::Status LoadDegrees(const EdgeTypeSchema& type, ArrayReader& reader);
  absl::Status LoadEdgeIndex(const EdgeTypeSchema& type, ArrayReader& reader);
  absl::Status LoadSplits(ArrayReader& reader);

  GraphSchema schema_;
  std::string schema_json_;
  std::vector<uint32_t> partitions_;
  std::vector<std::vector<std::optional<NodePartition>>> nodes_;
  std::vector<std::vector<std::optional<EdgePartition>>> edges_;
  std::vector<NodeMap> node_maps_;
  // In the order of schema_.edge_types.
  std::vector<DegreeArrays> degrees_;
  std::vector<EdgeIndex> edge_indexes_;
  std::vector<absl::Span<const int64_t>>
      splits_;  // in the order of schema_.splits
  bool reads_features_ = false;
  uint64_t copied_bytes_ = 0;
  std::shared_ptr<MappingDamage> damage_;
  std::vector<FileMapping> mappings_;
  std::vector<std::unique_ptr<RowFile>> row_files_;
};

absl::Status MappedGraph::Load(const std::string& folder,
                               const OpenOptions& options) {
  RETURN_IF_ERROR(LoadSchema(folder));
  RETURN_IF_ERROR(ChoosePartitions(options));
  const GraphBytes bytes = GraphBytesOf(schema_, partitions_);
  ASSIGN_OR_RETURN(reads_features_,
                   ReadsFeatures(bytes, options.features, options.memory));
  ArrayReader reader(folder, schema_.files, options.verify, options.cancelled);
  reader.set_copied(ChooseCopies(bytes, reads_features_, options.huge_pages,
                                 options.copy_memory));
  for (const NodeTypeSchema& type : schema_.node_types) {
    RETURN_IF_ERROR(LoadNodeMap(type, reader));
  }
  for (const EdgeTypeSchema& type : schema_.edge_types) {
    RETURN_IF_ERROR(LoadDegrees(type, reader));
    RETURN_IF_ERROR(LoadEdgeIndex(type, reader));
  }
  RETURN_IF_ERROR(LoadSplits(reader));
  nodes_.resize(schema_.node_types.size());
  edges_.resize(schema_.edge_types.size());
  for (auto& parts : nodes_) parts.resize(schema_.num_partitions);
  for (auto& parts : edges_) parts.resize(schema_.num_partitions);
  for (uint32_t p : partitions_) {
    for (size_t t = 0; t < nodes_.size(); ++t) {
      RETURN_IF_ERROR(LoadNodes(static_cast<int>(t), p, reader));
    }
    for (size_t t = 0; t < edges_.size(); ++t) {
      RETURN_IF_ERROR(LoadEdges(static_cast<int>(t), p, reader));
    }
  }
  damage_ = reader.damage();
  RETURN_IF_ERROR(damage_->status());
  mappings_ = reader.TakeMappings();
  for (const FileMapping& file : mappings_)
    copied_bytes_ += file.copied_bytes();
  row_files_ = reader.TakeRowFiles();
  return absl::OkStatus();
}

absl::Status MappedGraph::LoadSchema(const std::string& folder) {
  ASSIGN_OR_RETURN(schema_, ReadGraphJson(folder));
  GraphSchema told = schema_;
  told.files.clear();
  schema_json_ = told.ToJson();
  return absl::OkStatus();
}

absl::Status MappedGraph::ChoosePartitions(const OpenOptions& options) {
  partitions_ = options.partitions;
  if (partitions_.empty()) {
    for (uint32_t p = 0; p < schema_.num_partitions; ++p) {
      partitions_.push_back(p);
    }
  }
  std::sort(partitions_.begin(), partitions_.end());
  partitions_.erase(std::unique(partitions_.begin(), partitions_.end()),
                    partitions_.end());
  if (partitions_.back() < schema_.num_partitions) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("there is no partition ", partitions_.back(),
                   "; the graph has 0 to ", schema_.num_partitions - 1));
}

absl::Status MappedGraph::LoadNodeMap(const NodeTypeSchema& type,
                                      ArrayReader& reader) {
  const uint32_t num_partitions = schema_.num_partitions;
  const bool narrow = NodeMap::IsNarrow(num_partitions);
  ASSIGN_OR_RETURN(
      const MappedArray map,
      reader.Read(NodeMapPath(type.name), {narrow ? kNpyUint8 : kNpyUint16},
                  {type.num_nodes}));
  const auto block = static_cast<int64_t>(NodeMap::BlockSize(num_partitions));
  const int64_t blocks =
      type.num_nodes / block + (type.num_nodes % block != 0 ? 1 : 0);
  ASSIGN_OR_RETURN(const MappedArray ranks,
                   reader.Read(NodeRanksPath(type.name), {kNpyUint64},
                               {blocks, int64_t{num_partitions}}));
  node_maps_.push_back(
      narrow
          ? NodeMap(map.As<uint8_t>(), ranks.As<uint64_t>(), num_partitions)
          : NodeMap(map.As<uint16_t>(), ranks.As<uint64_t>(), num_partitions));
  return absl::OkStatus();
}

absl::Status MappedGraph::LoadNodes(int t, uint32_t p, ArrayReader& reader) {
  const NodeTypeSchema& type = schema_.node_types[t];
  const int64_t rows = type.base[p + 1] - type.base[p];
  const auto path = [&](const char* array) {
    return NodeArrayPath(p, type.name, array);
  };
  NodePartition part;
  ASSIGN_OR_RETURN(const MappedArray ids,
                   reader.Read(path("orig_id"), {kNpyInt64}, {rows}));
  part.orig_id = ids.As<int64_t>();
  const auto load = [&](const std::optional<ColumnSchema>& column,
                        const char* name, absl::Span<const uint8_t>& data) {
    if (!column.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const MappedArray array,
                     reader.Read(path(name), {column->array_type()},
                                 column->array_shape(rows)));
    data = array.data;
    return absl::OkStatus();
  };
  if (type.x.has_value() && reads_features_) {
    ASSIGN_OR_RETURN(part.x_file,
                     reader.OpenRows(path("x"), {type.x->array_type()},
                                     type.x->array_shape(rows)));
  } else {
    RETURN_IF_ERROR(load(type.x, "x", part.x));
  }
  RETURN_IF_ERROR(load(type.y, "y", part.y));
  if (type.timed) {
    ASSIGN_OR_RETURN(const MappedArray time,
                     reader.Read(path("time"), {kNpyInt64}, {rows}));
    part.time = time.As<int64_t>();
  }
  nodes_[t][p] = part;
  return absl::OkStatus();
}

absl::Status CheckIndptr(const std::string& path,
                         absl::Span<const uint64_t> indptr, int64_t edges) {
  if (indptr.front() == 0 && indptr.back() == static_cast<uint64_t>(edges) &&
      std::is_sorted(indptr.begin(), indptr.end())) {
    return absl::OkStatus();
  }
  return absl::DataLossError(
      absl::StrCat(path, ": it does not ascend from 0 to the partition's ",
                   edges, " edges"));
}

// Reads the arrays of one edge type in one partition.
class EdgeArrays {
 public:
  EdgeArrays(const EdgeTypeSchema& type, uint32_t p, ArrayReader& reader)
      : type_(type), p_(p), reader_(reader), edges_(type.partition_edges[p]) {}

  absl::StatusOr<EdgePartition> Load(int64_t rows, bool reads_features) {
    EdgePartition part;
    ASSIGN_OR_RETURN(const MappedArray indptr,
                     Read("indptr", {kNpyUint64}, {rows + 1}));
    part.indptr = indptr.As<uint64_t>();
    RETURN_IF_ERROR(
        CheckIndptr(EdgeArrayPath(p_, type_, "indptr"), part.indptr, edges_));
    ASSIGN_OR_RETURN(part.indices, ReadIds("indices"));
    ASSIGN_OR_RETURN(part.edge_id, ReadIds("edge_id"));
    RETURN_IF_ERROR(LoadAttributes(part, reads_features));
    RETURN_IF_ERROR(LoadWeights(part));
    if (type_.timed) {
      ASSIGN_OR_RETURN(part.edge_time, ReadTimeOrder("edge_time"));
    }
    if (type_.neighbor_timed) {
      ASSIGN_OR_RETURN(part.neighbor_time, ReadTimeOrder("neighbor_time"));
    }
    if (type_.neighbor_ids) {
      ASSIGN_OR_RETURN(part.neighbor_id, ReadIds("neighbor_id"));
    }
    for (const std::string& name : type_.masks) {
      ASSIGN_OR_RETURN(
          const MappedArray mask,
          Read(MaskArray(name), {NpyTypeOf(DType::kBool)}, {edges_}));
      part.masks.push_back(mask.data);
    }
    return part;
  }

 private:
  absl::StatusOr<MappedArray> Read(const std::string& array,
                                   absl::Span<const NpyType> types,
                                   absl::Span<const int64_t> shape) {
    return reader_.Read(EdgeArrayPath(p_, type_, array), types, shape);
  }

  absl::Status LoadAttributes(EdgePartition& part, bool reads_features) {
    if (!type_.edge_attr.has_value()) return absl::OkStatus();
    const NpyType type = type_.edge_attr->array_type();
    const auto shape = type_.edge_attr->array_shape(edges_);
    ASSIGN_OR_RETURN(const MappedArray attr, Read("edge_attr", {type}, shape));
    part.edge_attr = attr.data;
    if (!reads_features) return absl::OkStatus();
    ASSIGN_OR_RETURN(
        part.edge_attr_file,
        reader_.OpenRows(EdgeArrayPath(p_, type_, "edge_attr"), {type}, shape));
    return absl::OkStatus();
  }

  absl::StatusOr<IdArray> ReadIds(const std::string& array) {
    ASSIGN_OR_RETURN(const MappedArray ids,
                     Read(array, {kNpyUint32, kNpyUint64}, {edges_}));
    return ToIdArray(ids);
  }

  absl::Status LoadWeights(EdgePartition& part) {
    if (!type_.weighted) return absl::OkStatus();
    ASSIGN_OR_RETURN(const MappedArray weight,
                     Read("weight", {NpyTypeOf(type_.weight_dtype)}, {edges_}));
    ASSIGN_OR_RETURN(const MappedArray sum,
                     Read("weight_sum", {kNpyUint64}, {edges_}));
    part.weight = weight.data;
    part.weight_sum = sum.As<uint64_t>();
    return absl::OkStatus();
  }

  absl::StatusOr<TimeOrder> ReadTimeOrder(const std::string& array) {
    TimeOrder order;
    ASSIGN_OR_RETURN(const MappedArray time,
                     Read(array, {kNpyInt64}, {edges_}));
    order.time = time.As<int64_t>();
    ASSIGN_OR_RETURN(order.position, ReadIds(array + "_position"));
    return order;
  }

  const EdgeTypeSchema& type_;
  const uint32_t p_;
  ArrayReader& reader_;
  const int64_t edges_;
};

absl::Status MappedGraph::LoadEdges(int t, uint32_t p, ArrayReader& reader) {
  const EdgeTypeSchema& type = schema_.edge_types[t];
  const NodeTypeSchema& dst = schema_.node_types[type.dst_type];
  ASSIGN_OR_RETURN(edges_[t][p],
                   EdgeArrays(type, p, reader)
                       .Load(dst.base[p + 1] - dst.base[p], reads_features_));
  return absl::OkStatus();
}

absl::Status MappedGraph::LoadDegrees(const EdgeTypeSchema& type,
                                      ArrayReader& reader) {
  DegreeArrays& degrees = degrees_.emplace_back();
  if (!type.degrees) return absl::OkStatus();
  const auto read = [&](const char* end, int node_type, IdArray& to) {
    ASSIGN_OR_RETURN(
        const MappedArray array,
        reader.Read(DegreePath(type, end), {kNpyUint32, kNpyUint64},
                    {schema_.node_types[node_type].num_nodes}));
    to = ToIdArray(array);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(read("in", type.dst_type, degrees.in));
  return read("out", type.src_type, degrees.out);
}

absl::Status MappedGraph::LoadEdgeIndex(const EdgeTypeSchema& type,
                                        ArrayReader& reader) {
  EdgeIndex& index = edge_indexes_.emplace_back();
  if (!type.edge_index) return absl::OkStatus();
  const bool narrow = NodeMap::IsNarrow(schema_.num_partitions);
  ASSIGN_OR_RETURN(
      const MappedArray partitions,
      reader.Read(EdgeIndexPath(type, "partition"),
                  {narrow ? kNpyUint8 : kNpyUint16}, {type.num_edge_ids}));
  ASSIGN_OR_RETURN(const MappedArray positions,
                   reader.Read(EdgeIndexPath(type, "position"),
                               {kNpyUint32, kNpyUint64}, {type.num_edge_ids}));
  const IdArray ids = ToIdArray(positions);
  index = narrow
              ? EdgeIndex(partitions.As<uint8_t>(), ids, type.partition_edges)
              : EdgeIndex(partitions.As<uint16_t>(), ids, type.partition_edges);
  return absl::OkStatus();
}

absl::Status MappedGraph::LoadSplits(ArrayReader& reader) {
  for (const SplitSchema& split : schema_.splits) {
    ASSIGN_OR_RETURN(const MappedArray ids,
                     reader.Read(SplitPath(split), {kNpyInt64}, split.shape()));
    splits_.push_back(ids.As<int64_t>());
  }
  return absl::OkStatus();
}

absl::StatusOr<absl::Span<const int64_t>> MappedGraph::Split(
    int node_type, std::string_view name) const {
  ASSIGN_OR_RETURN(const size_t at,
                   schema_.FindSplit(schema_.node_types[node_type].name, name));
  return splits_[at];
}

absl::StatusOr<absl::Span<const int64_t>> MappedGraph::EdgeSplit(
    int edge_type, std::string_view name) const {
  ASSIGN_OR_RETURN(
      const size_t at,
      schema_.FindSplit(schema_.edge_types[edge_type].name(), name));
  return splits_[at];
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Graph>> Graph::Open(
    const std::string& folder, const OpenOptions& options) {
  auto graph = std::make_shared<MappedGraph>();
  RETURN_IF_ERROR(graph->Load(folder, options));
  return std::shared_ptr<const Graph>(std::move(graph));
}

}  // namespace tributary
