// Converts GraphSchema to and from graph.json.
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/random/hop_key.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/schema/schema.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

using Json = nlohmann::json;  // a std::map, so keys are written sorted

constexpr absl::string_view kFormatName = "tributary-graph";
// nlohmann's parser is recursive; graph.json nests 4 deep.
constexpr int kMaxDepth = 16;

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

// Reads the members of one JSON object. Keeps the first error; later reads
// return default values, so callers check status() once. RefuseOthers reports
// members that have not been read, which this program does not know.
class ObjectReader {
 public:
  ObjectReader(const Json& json, std::string where)
      : json_(json), where_(std::move(where)) {
    if (!json.is_object()) Fail("it is no object");
  }

  const absl::Status& status() const { return status_; }
  std::string Where(const char* key) const {
    return where_.empty() ? std::string(key) : absl::StrCat(where_, ".", key);
  }

  const Json& Get(const char* key) {
    static const Json kNull;
    if (!json_.is_object()) return kNull;
    if (Has(key)) return json_[key];
    Fail(absl::StrCat("there is no key ", key));
    return kNull;
  }
  bool Has(const char* key) {
    known_.push_back(key);
    return json_.is_object() && json_.contains(key);
  }
  void RefuseOthers() {
    if (!json_.is_object()) return;
    for (const auto& item : json_.items()) {
      if (absl::c_linear_search(known_, item.key())) continue;
      return Absorb(absl::InvalidArgumentError(
          absl::StrCat("graph.json: ", where_.empty() ? "" : where_ + ": ",
                       "this program knows no key \"",
                       absl::CHexEscape(item.key().substr(0, 40)),
                       "\"; a later one made the graph, or it was edited")));
    }
  }
  std::string Text(const char* key) {
    const Json& value = Get(key);
    if (value.is_string()) return value.get<std::string>();
    Fail(absl::StrCat(key, " is no string"));
    return "";
  }
  bool Bool(const char* key) {
    const Json& value = Get(key);
    if (value.is_boolean()) return value.get<bool>();
    Fail(absl::StrCat(key, " is neither true nor false"));
    return false;
  }
  // Reads a member that is true or absent.
  bool Flag(const char* key) {
    if (!Has(key)) return false;
    if (!Bool(key)) Fail(absl::StrCat(key, " is true where it is there"));
    return true;
  }
  uint64_t Count(const char* key, uint64_t max) {
    return CountOf(Get(key), key, max);
  }
  int64_t Count(const char* key) {
    return static_cast<int64_t>(Count(key, kMaxCount));
  }
  std::vector<int64_t> Counts(const char* key) {
    std::vector<int64_t> values;
    for (const Json& value : Array(key)) {
      values.push_back(static_cast<int64_t>(CountOf(value, key, kMaxCount)));
    }
    return values;
  }
  // Reads a list that must not be empty if the key is present.
  std::vector<std::string> Texts(const char* key) {
    std::vector<std::string> values;
    for (const Json& value : Array(key)) {
      if (!value.is_string()) Fail(absl::StrCat(key, " holds no strings"));
      values.push_back(value.is_string() ? value.get<std::string>() : "");
    }
    if (values.empty()) Fail(absl::StrCat(key, " is empty where it is there"));
    return values;
  }
  const Json& Array(const char* key) {
    static const Json kEmpty = Json::array();
    const Json& value = Get(key);
    if (value.is_array()) return value;
    Fail(absl::StrCat(key, " is no array"));
    return kEmpty;
  }
  Sha256Digest Digest(const char* key) {
    const std::string hex = Text(key);
    Sha256Digest digest{};
    const std::string bytes = absl::HexStringToBytes(hex);
    if (bytes.size() == digest.size() && absl::BytesToHexString(bytes) == hex) {
      std::copy(bytes.begin(), bytes.end(), digest.begin());
    } else {
      Fail(absl::StrCat(key, " is not 64 lower-case hexadecimal digits"));
    }
    return digest;
  }
  std::optional<ColumnSchema> Column(const char* key) {
    const Json& value = Get(key);
    if (value.is_null()) return std::nullopt;
    ObjectReader reader(value, Where(key));
    ColumnSchema column;
    column.dtype = reader.DTypeAt("dtype");
    column.dim = static_cast<int64_t>(
        reader.Count("dim", std::numeric_limits<int32_t>::max()));
    column.scaled = reader.Flag("scaled");
    reader.RefuseOthers();
    Absorb(reader.status());
    return column;
  }
  DType DTypeAt(const char* key) {
    const auto dtype = DTypeFromName(Text(key));
    if (dtype.ok()) return *dtype;
    Fail(absl::StrCat(key, ": ", dtype.status().message()));
    return DType::kFloat32;
  }

  void Fail(absl::string_view what) {
    if (!status_.ok()) return;
    status_ = absl::DataLossError(absl::StrCat(
        "graph.json: ", where_.empty() ? "" : absl::StrCat(where_, ": "),
        what));
  }
  void Absorb(const absl::Status& status) { status_.Update(status); }

 private:
  // Far larger than any disk; sums and products with it do not overflow.
  static constexpr uint64_t kMaxCount = uint64_t{1} << 56;

  uint64_t CountOf(const Json& value, const char* key, uint64_t max) {
    if (value.is_number_unsigned() && value.get<uint64_t>() <= max) {
      return value.get<uint64_t>();
    }
    Fail(absl::StrCat(key, " is no whole number of 0 to ", max));
    return 0;
  }

  const Json& json_;
  std::string where_;
  std::vector<absl::string_view> known_;  // string literals
  absl::Status status_;
};

NodeTypeSchema ReadNodeType(ObjectReader& in) {
  NodeTypeSchema type;
  type.name = in.Text("name");
  type.num_nodes = in.Count("num_nodes");
  type.x = in.Column("x");
  type.y = in.Column("y");
  type.timed = in.Flag("timed");
  type.base = in.Counts("base");
  return type;
}

EdgeTypeSchema ReadEdgeType(ObjectReader& in) {
  EdgeTypeSchema type;
  type.src = in.Text("src");
  type.rel = in.Text("rel");
  type.dst = in.Text("dst");
  type.num_edges = in.Count("num_edges");
  type.edge_attr = in.Column("edge_attr");
  type.weighted = in.Has("weight");
  if (type.weighted) type.weight_dtype = in.DTypeAt("weight");
  type.timed = in.Flag("timed");
  type.neighbor_ids = in.Flag("neighbor_ids");
  type.degrees = in.Flag("degrees");
  type.edge_index = in.Has("edge_index");
  if (type.edge_index) type.num_edge_ids = in.Count("edge_index");
  type.reverse = in.Flag("reverse");
  if (in.Has("masks")) type.masks = in.Texts("masks");
  type.partition_edges = in.Counts("partition_edges");
  return type;
}

SplitSchema ReadSplit(ObjectReader& in) {
  const char* type_key = in.Has("edge_type") ? "edge_type" : "node_type";
  SplitSchema split{.scheme = in.Text("scheme"),
                    .type = in.Text(type_key),
                    .name = in.Text("name"),
                    .count = in.Count("count")};
  if (split.of_edges() != (type_key[0] == 'e')) {
    in.Fail(absl::StrCat(type_key, " is '", split.type, "'"));
  }
  return split;
}

FileSchema ReadFileSchema(ObjectReader& in) {
  FileSchema file;
  file.path = in.Text("path");
  file.bytes = static_cast<uint64_t>(in.Count("bytes"));
  file.crc32c = static_cast<uint32_t>(
      in.Count("crc32c", std::numeric_limits<uint32_t>::max()));
  return file;
}

// Reads each element of the array `key` with `read`.
template <typename Read>
auto ReadList(ObjectReader& in, const char* key, Read read) {
  std::vector<decltype(read(in))> items;
  for (const Json& json : in.Array(key)) {
    ObjectReader reader(json,
                        absl::StrCat(in.Where(key), "[", items.size(), "]"));
    items.push_back(read(reader));
    reader.RefuseOthers();
    in.Absorb(reader.status());
  }
  return items;
}

absl::Status CheckVersions(ObjectReader& in) {
  constexpr uint64_t kMax = std::numeric_limits<uint32_t>::max();
  const std::string format = in.Text("format");
  const uint64_t version = in.Count("format_version", kMax);
  const uint64_t semantics = in.Count("semantics_version", kMax);
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
  int deepest = 0;
  const Json json = Json::parse(
      text,
      [&deepest](int depth, Json::parse_event_t, Json&) {
        deepest = std::max(deepest, depth);
        return depth < kMaxDepth;
      },
      /*allow_exceptions=*/false);
  if (json.is_discarded() || deepest >= kMaxDepth) {
    return absl::DataLossError("graph.json: it is no JSON, or cut off");
  }
  ObjectReader in(json, "");
  RETURN_IF_ERROR(in.status());
  RETURN_IF_ERROR(CheckVersions(in));
  GraphSchema schema;
  schema.semantics_version = kSemanticsVersion;
  schema.name = in.Text("name");
  schema.heterogeneous = in.Bool("heterogeneous");
  schema.num_partitions =
      static_cast<uint32_t>(in.Count("num_partitions", kMaxPartitions));
  schema.node_types = ReadList(in, "node_types", ReadNodeType);
  schema.edge_types = ReadList(in, "edge_types", ReadEdgeType);
  schema.splits = ReadList(in, "splits", ReadSplit);
  schema.files = ReadList(in, "files", ReadFileSchema);
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
