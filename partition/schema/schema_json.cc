// Converts GraphSchema to and from graph.json.
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/json/json_object.h"
#include "common/random/hop_key.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/schema/schema.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

using Json = nlohmann::json;  // a std::map, so keys are written sorted

constexpr absl::string_view kFormatName = "tributary-graph";

Json ToJson(const std::optional<ColumnSchema>& column) {
  if (!column.has_value()) return nullptr;
  Json json = {{"dtype", DTypeName(column->dtype)}, {"dim", column->dim}};
  if (column->scaled) json["scaled"] = true;
  return json;
}

// Keys that were added to the format later are written only if they are set, so
// that graphs without them keep their text and its digest.
Json ToJson(const NodeTypeSchema& type) {
  Json json = {{"name", type.name},
               {"num_nodes", type.num_nodes},
               {"x", ToJson(type.x)},
               {"y", ToJson(type.y)},
               {"base", type.base}};
  if (type.timed) json["timed"] = true;
  return json;
}

Json ToJson(const EdgeTypeSchema& type) {
  Json json = {{"src", type.src},
               {"rel", type.rel},
               {"dst", type.dst},
               {"num_edges", type.num_edges},
               {"edge_attr", ToJson(type.edge_attr)},
               {"partition_edges", type.partition_edges}};
  if (type.weighted) json["weight"] = DTypeName(type.weight_dtype);
  if (type.timed) json["timed"] = true;
  if (type.neighbor_ids) json["neighbor_ids"] = true;
  if (type.degrees) json["degrees"] = true;
  if (type.edge_index) json["edge_index"] = type.num_edge_ids;
  if (type.reverse) json["reverse"] = true;
  if (!type.masks.empty()) json["masks"] = type.masks;
  return json;
}

Json ToJson(const SplitSchema& split) {
  return {{"scheme", split.scheme},
          {split.of_edges() ? "edge_type" : "node_type", split.type},
          {"name", split.name},
          {"count", split.count}};
}

Json ToJson(const FileSchema& file) {
  return {{"path", file.path}, {"bytes", file.bytes}, {"crc32c", file.crc32c}};
}

template <typename T>
Json ListToJson(const std::vector<T>& items) {
  Json list = Json::array();
  for (const T& item : items) list.push_back(ToJson(item));
  return list;
}

Json SchemaToJson(const GraphSchema& schema) {
  return {{"format", std::string(kFormatName)},
          {"format_version", kGraphFormatVersion},
          {"semantics_version", schema.semantics_version},
          {"name", schema.name},
          {"heterogeneous", schema.heterogeneous},
          {"num_partitions", schema.num_partitions},
          {"node_types", ListToJson(schema.node_types)},
          {"edge_types", ListToJson(schema.edge_types)},
          {"splits", ListToJson(schema.splits)},
          {"files", ListToJson(schema.files)},
          {"partition_method", schema.partition_method},
          {"made_by", schema.made_by},
          {"content_digest", ToHex(schema.content_digest)},
          {"layout_digest", ToHex(schema.layout_digest)}};
}

std::string Dump(const Json& json) {
  // Invalid UTF-8, which a command line may hold, is replaced instead of
  // throwing.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

DType ReadDType(JsonObject& in, const char* key) {
  const auto dtype = DTypeFromName(in.Text(key));
  if (dtype.ok()) return *dtype;
  in.FailWith(absl::StrCat(key, ": ", dtype.status().message()));
  return DType::kFloat32;
}

std::optional<ColumnSchema> ReadColumn(JsonObject& in, const char* key) {
  if (in.Get(key).is_null()) return std::nullopt;
  JsonObject reader = in.Object(key);
  ColumnSchema column;
  column.dtype = ReadDType(reader, "dtype");
  column.dim = static_cast<int64_t>(
      reader.Whole("dim", std::numeric_limits<int32_t>::max()));
  column.scaled = reader.Flag("scaled");
  reader.RefuseOthers();
  return column;
}

NodeTypeSchema ReadNodeType(JsonObject& in) {
  NodeTypeSchema type;
  type.name = in.Text("name");
  type.num_nodes = in.Count("num_nodes");
  type.x = ReadColumn(in, "x");
  type.y = ReadColumn(in, "y");
  type.timed = in.Flag("timed");
  type.base = in.Counts("base");
  return type;
}

// Reads a list that is not empty where it is there.
std::vector<std::string> ReadMasks(JsonObject& in) {
  std::vector<std::string> masks;
  if (!in.Has("masks")) return masks;
  for (const Json& value : in.Array("masks")) {
    if (!value.is_string()) in.Fail("masks", "holds no strings");
    masks.push_back(value.is_string() ? value.get<std::string>() : "");
  }
  if (masks.empty()) in.Fail("masks", "is empty where it is there");
  return masks;
}

EdgeTypeSchema ReadEdgeType(JsonObject& in) {
  EdgeTypeSchema type;
  type.src = in.Text("src");
  type.rel = in.Text("rel");
  type.dst = in.Text("dst");
  type.num_edges = in.Count("num_edges");
  type.edge_attr = ReadColumn(in, "edge_attr");
  type.weighted = in.Has("weight");
  if (type.weighted) type.weight_dtype = ReadDType(in, "weight");
  type.timed = in.Flag("timed");
  type.neighbor_ids = in.Flag("neighbor_ids");
  type.degrees = in.Flag("degrees");
  type.edge_index = in.Has("edge_index");
  if (type.edge_index) type.num_edge_ids = in.Count("edge_index");
  type.reverse = in.Flag("reverse");
  type.masks = ReadMasks(in);
  type.partition_edges = in.Counts("partition_edges");
  return type;
}

SplitSchema ReadSplit(JsonObject& in) {
  const char* type_key = in.Has("edge_type") ? "edge_type" : "node_type";
  SplitSchema split{.scheme = in.Text("scheme"),
                    .type = in.Text(type_key),
                    .name = in.Text("name"),
                    .count = in.Count("count")};
  if (split.of_edges() != (type_key[0] == 'e')) {
    in.Fail(type_key, absl::StrCat("is '", split.type, "'"));
  }
  return split;
}

FileSchema ReadFileSchema(JsonObject& in) {
  FileSchema file;
  file.path = in.Text("path");
  file.bytes = static_cast<uint64_t>(in.Count("bytes"));
  file.crc32c = static_cast<uint32_t>(
      in.Whole("crc32c", std::numeric_limits<uint32_t>::max()));
  return file;
}

absl::Status CheckVersions(JsonObject& in) {
  constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
  const std::string format = in.Text("format");
  const uint64_t version = in.Whole("format_version", kMax);
  const uint64_t semantics = in.Whole("semantics_version", kMax);
  RETURN_IF_ERROR(in.status());
  if (format != kFormatName) {
    return absl::InvalidArgumentError(absl::StrCat(
        "graph.json: format is '", format, "', not '", kFormatName, "'"));
  }
  if (version != kGraphFormatVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph.json: format_version is ", version,
                     "; this program reads version ", kGraphFormatVersion));
  }
  if (semantics != kSemanticsVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph.json: semantics_version is ", semantics,
                     "; this program samples by version ", kSemanticsVersion));
  }
  return absl::OkStatus();
}

void ResolveEndpoints(GraphSchema& schema) {
  for (EdgeTypeSchema& type : schema.edge_types) {
    type.src_type = schema.FindNodeType(type.src);
    type.dst_type = schema.FindNodeType(type.dst);
    type.neighbor_timed =
        type.src_type >= 0 && schema.node_types[type.src_type].timed;
  }
}

}  // namespace

std::string GraphSchema::ToJson() const { return Dump(SchemaToJson(*this)); }

Sha256Digest GraphSchema::ComputeLayoutDigest() const {
  Json json = SchemaToJson(*this);
  json.erase("layout_digest");
  json.erase("made_by");
  return Sha256Of(Dump(json));
}

absl::StatusOr<GraphSchema> GraphSchema::FromJson(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json,
                   ParseJson({text.data(), text.size()}, "graph.json",
                             absl::StatusCode::kDataLoss));
  JsonObject in(
      json, "graph.json",
      {.code = absl::StatusCode::kDataLoss,
       .unknown_remedy = "a later program made the graph, or it was edited"});
  RETURN_IF_ERROR(in.status());
  RETURN_IF_ERROR(CheckVersions(in));
  GraphSchema schema;
  schema.semantics_version = kSemanticsVersion;
  schema.name = in.Text("name");
  schema.heterogeneous = in.Bool("heterogeneous");
  schema.num_partitions =
      static_cast<uint32_t>(in.Whole("num_partitions", kMaxPartitions));
  schema.node_types = in.List("node_types", ReadNodeType);
  schema.edge_types = in.List("edge_types", ReadEdgeType);
  schema.splits = in.List("splits", ReadSplit);
  schema.files = in.List("files", ReadFileSchema);
  schema.partition_method = in.Text("partition_method");
  schema.made_by = in.Text("made_by");
  schema.content_digest = in.Digest("content_digest");
  schema.layout_digest = in.Digest("layout_digest");
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  ResolveEndpoints(schema);
  RETURN_IF_ERROR(CheckSchema(schema));
  return schema;
}

}  // namespace tributary
