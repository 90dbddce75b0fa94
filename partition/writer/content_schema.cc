#include "partition/writer/content_schema.h"

#include <optional>
#include <string>
#include <utility>

#include "partition/format/paths.h"
#include "partition/writer/types_schema.h"

namespace tributary {
namespace {

void PutName(Sha256& sha, const std::string& name) {
  sha.UpdateU32(static_cast<uint32_t>(name.size()));
  sha.Update(name);
}

void PutColumn(Sha256& sha, const std::optional<ColumnSchema>& column) {
  constexpr uint8_t kScaled = 128;
  const uint8_t dtype =
      column.has_value() ? static_cast<uint8_t>(column->dtype) : 0;
  sha.UpdateU8(column.has_value() && column->scaled ? dtype | kScaled : dtype);
  sha.UpdateU64(column.has_value() ? static_cast<uint64_t>(column->dim) : 0);
}

void PutNamedColumn(Sha256& sha, const std::string& type,
                    const std::string& column, DType dtype) {
  PutName(sha, type);
  PutName(sha, column);
  PutColumn(sha, ColumnSchema{dtype, 0});
}

// Hashes the columns that were added to the format later; a graph without them
// keeps its digest.
void PutNamedColumns(Sha256& sha, const GraphSchema& schema) {
  for (const NodeTypeSchema& type : schema.node_types) {
    if (type.timed) PutNamedColumn(sha, type.name, "time", DType::kInt64);
  }
  for (const EdgeTypeSchema& type : schema.edge_types) {
    const std::string name = type.name();
    if (type.weighted) PutNamedColumn(sha, name, "weight", type.weight_dtype);
    if (type.timed) PutNamedColumn(sha, name, "time", DType::kInt64);
    for (const std::string& mask : type.masks) {
      PutNamedColumn(sha, name, MaskArray(mask), DType::kBool);
    }
  }
}

}  // namespace

GraphSchema SchemaOf(const GraphContent& content) {
  GraphSchema schema = SchemaOfTypes(content, [](const EdgeContent& edges) {
    return edges.in_edges.num_edges();
  });
  for (const SplitContent& split : content.splits) {
    SplitSchema entry{split.scheme, split.type, split.name,
                      static_cast<int64_t>(split.ids.size())};
    if (entry.of_edges()) entry.count /= kSplitEdgeNumbers;
    schema.splits.push_back(std::move(entry));
  }
  return schema;
}

void SetStored(GraphSchema& schema, bool neighbor_ids, bool degrees,
               bool edge_index, absl::Span<const int64_t> num_edge_ids) {
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    EdgeTypeSchema& type = schema.edge_types[t];
    type.neighbor_ids = neighbor_ids;
    type.degrees = degrees;
    type.edge_index = edge_index && schema.IsVisible(static_cast<int>(t));
    if (type.edge_index) type.num_edge_ids = num_edge_ids[t];
  }
}

Sha256Digest SchemaRecord(const GraphSchema& schema,
                          absl::Span<const SplitContent> splits) {
  Sha256 sha;
  sha.Update("tributary.schema");
  sha.UpdateU32(schema.semantics_version);
  sha.UpdateU8(schema.heterogeneous ? 1 : 0);
  sha.UpdateU32(static_cast<uint32_t>(schema.node_types.size()));
  for (const NodeTypeSchema& type : schema.node_types) {
    PutName(sha, type.name);
    sha.UpdateU64(static_cast<uint64_t>(type.num_nodes));
    PutColumn(sha, type.x);
    PutColumn(sha, type.y);
  }
  sha.UpdateU32(static_cast<uint32_t>(schema.edge_types.size()));
  for (const EdgeTypeSchema& type : schema.edge_types) {
    PutName(sha, type.src);
    PutName(sha, type.rel);
    PutName(sha, type.dst);
    sha.UpdateU64(static_cast<uint64_t>(type.num_edges));
    PutColumn(sha, type.edge_attr);
  }
  sha.UpdateU32(static_cast<uint32_t>(splits.size()));
  for (const SplitContent& split : splits) {
    PutName(sha, split.scheme);
    PutName(sha, split.type);
    PutName(sha, split.name);
    sha.UpdateU64(split.ids.size());
    for (int64_t id : split.ids) sha.UpdateU64(static_cast<uint64_t>(id));
  }
  PutNamedColumns(sha, schema);
  return sha.Finish();
}

}  // namespace tributary
