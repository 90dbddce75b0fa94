#include "partition/pipeline/inputs/dgl_chunked/dgl_metadata.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 10> kKeys = {
    "graph_name", "node_type", "num_nodes_per_chunk", "num_nodes_per_type",
    "edge_type",  "edges",     "num_edges_per_chunk", "num_edges_per_type",
    "node_data",  "edge_data"};

std::string Shown(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, 100)), "\"");
}

absl::Status MetadataError(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
}

// Returns a member, which must be there.
absl::StatusOr<const Json*> Require(const Json& object, const char* key,
                                    const std::string& where) {
  if (!object.is_object()) return MetadataError(where, "it is no object");
  const auto at = object.find(key);
  if (at == object.end()) {
    return MetadataError(where, absl::StrCat("there is no key ", key));
  }
  return &*at;
}

absl::StatusOr<std::vector<std::string>> ReadNames(const Json& metadata,
                                                   const char* key,
                                                   const std::string& origin) {
  ASSIGN_OR_RETURN(const Json* json, Require(metadata, key, origin));
  std::vector<std::string> names;
  if (!json->is_array() || (!json->empty() && JsonTexts(*json).empty())) {
    return MetadataError(origin, absl::StrCat(key, " is no list of names"));
  }
  names = JsonTexts(*json);
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::count(names.begin(), names.begin() + i, names[i]) == 0) continue;
    return MetadataError(origin,
                         absl::StrCat(key, " has ", Shown(names[i]), " twice"));
  }
  return names;
}

std::optional<int64_t> CountOf(const Json& json) {
  if (!json.is_number_unsigned() ||
      json.get<uint64_t>() > static_cast<uint64_t>(kMaxCount)) {
    return std::nullopt;
  }
  return json.get<int64_t>();
}

// Reads the numbers of one type: a list by chunk, or their total.
std::optional<ChunkCounts> CountsOf(const Json& json, bool by_chunk) {
  ChunkCounts counts;
  if (!by_chunk) {
    const auto total = CountOf(json);
    if (!total.has_value()) return std::nullopt;
    counts.total = *total;
    return counts;
  }
  if (!json.is_array()) return std::nullopt;
  for (const Json& chunk : json) {
    const auto count = CountOf(chunk);
    if (!count.has_value()) return std::nullopt;
    counts.total += *count;
    if (counts.total > kMaxCount) return std::nullopt;
    counts.by_chunk.push_back(*count);
  }
  return counts;
}

// Reads one of the two spellings of the numbers of all types; nullopt if the
// key is not there.
absl::StatusOr<std::optional<std::vector<ChunkCounts>>> ReadSpelling(
    const Json& metadata, const std::string& key, bool by_chunk, size_t types,
    const std::string& origin) {
  const auto at = metadata.find(key);
  if (at == metadata.end()) return std::nullopt;
  const auto wrong = [&](absl::string_view what) {
    return MetadataError(
        origin,
        absl::StrCat(
            key, " ", what, "; allowed: for each of the ", types, " types ",
            by_chunk ? "a list with a number for each chunk" : "a number",
            ", together at most ", kMaxCount));
  };
  if (!at->is_array()) return wrong("is no list");
  if (at->size() != types) {
    return wrong(absl::StrCat("has ", at->size(), " entries"));
  }
  std::vector<ChunkCounts> all;
  for (const Json& json : *at) {
    auto counts = CountsOf(json, by_chunk);
    if (!counts.has_value()) {
      return wrong(absl::StrCat("has a wrong entry ", all.size()));
    }
    all.push_back(*std::move(counts));
  }
  return all;
}

// `of` is "nodes" or "edges".
absl::StatusOr<std::vector<ChunkCounts>> ReadCounts(const Json& metadata,
                                                    const std::string& of,
                                                    size_t types,
                                                    const std::string& origin) {
  const std::string by_chunk = absl::StrCat("num_", of, "_per_chunk");
  const std::string by_type = absl::StrCat("num_", of, "_per_type");
  ASSIGN_OR_RETURN(auto chunks,
                   ReadSpelling(metadata, by_chunk, true, types, origin));
  ASSIGN_OR_RETURN(auto totals,
                   ReadSpelling(metadata, by_type, false, types, origin));
  if (!chunks.has_value() && !totals.has_value()) {
    return MetadataError(origin, absl::StrCat("there is neither a key ",
                                              by_chunk, " nor ", by_type));
  }
  if (!chunks.has_value()) return *std::move(totals);
  for (size_t t = 0; totals.has_value() && t < types; ++t) {
    if ((*chunks)[t].total == (*totals)[t].total) continue;
    return MetadataError(
        origin,
        absl::StrCat(by_chunk, " has ", (*chunks)[t].total, " ", of,
                     " of type ", t, ", ", by_type, " ", (*totals)[t].total));
  }
  return *std::move(chunks);
}

absl::Status ReadFormat(const Json& json, const std::string& where,
                        ChunkFiles& files) {
  ASSIGN_OR_RETURN(const Json* name, Require(json, "name", where));
  if (*name == "csv") {
    files.format = ChunkFiles::Format::kCsv;
  } else if (*name == "numpy") {
    files.format = ChunkFiles::Format::kNumpy;
  } else if (*name == "parquet") {
    files.format = ChunkFiles::Format::kParquet;
  } else {
    return MetadataError(where,
                         "name is none of the allowed: csv, numpy, parquet");
  }
  const auto delimiter = json.find("delimiter");
  if (delimiter == json.end() || delimiter->is_null()) {
    return absl::OkStatus();
  }
  const std::string text =
      delimiter->is_string() ? delimiter->get<std::string>() : "";
  if (text.size() != 1 || absl::StrContains("\r\n\"+-.0123456789eE", text)) {
    return MetadataError(
        where,
        "delimiter is not allowed; allowed: one character that is no "
        "part of a number, as \" \"");
  }
  files.delimiter = text[0];
  return absl::OkStatus();
}

absl::StatusOr<ChunkFiles> ReadFiles(const Json& json,
                                     const std::string& where) {
  ChunkFiles files;
  files.where = where;
  ASSIGN_OR_RETURN(const Json* format, Require(json, "format", where));
  RETURN_IF_ERROR(ReadFormat(*format, absl::StrCat(where, ".format"), files));
  ASSIGN_OR_RETURN(const Json* data, Require(json, "data", where));
  files.paths =
      data->is_array() ? JsonTexts(*data) : std::vector<std::string>();
  if (files.paths.empty()) {
    return MetadataError(where, "data is no list of file names");
  }
  return files;
}

// Reads node_data or edge_data, which may be missing: calls
// add(type, name, files).
template <typename Add>
absl::Status ReadData(const Json& metadata, const char* key,
                      const std::vector<std::string>& types,
                      const std::string& origin, Add add) {
  const auto data = metadata.find(key);
  if (data == metadata.end() || data->is_null()) return absl::OkStatus();
  const std::string where = absl::StrCat(origin, ": ", key);
  if (!data->is_object()) return MetadataError(where, "it is no object");
  for (const auto& [type, arrays] : data->items()) {
    const auto at = absl::c_find(types, type);
    if (at == types.end()) {
      return MetadataError(
          where, absl::StrCat("there is no type ", Shown(type),
                              "; allowed: ", absl::StrJoin(types, ", ")));
    }
    const std::string type_where = absl::StrCat(where, ".", type);
    if (!arrays.is_object())
      return MetadataError(type_where, "it is no object");
    for (const auto& [name, json] : arrays.items()) {
      ASSIGN_OR_RETURN(ChunkFiles files,
                       ReadFiles(json, absl::StrCat(type_where, ".", name)));
      add(static_cast<size_t>(at - types.begin()), name, std::move(files));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadNodeTypes(const Json& metadata, const std::string& origin,
                           DglMetadata& result) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   ReadNames(metadata, "node_type", origin));
  ASSIGN_OR_RETURN(const std::vector<ChunkCounts> counts,
                   ReadCounts(metadata, "nodes", names.size(), origin));
  for (size_t t = 0; t < names.size(); ++t) {
    result.node_types.push_back({names[t], counts[t], {}});
  }
  return ReadData(metadata, "node_data", names, origin,
                  [&](size_t type, const std::string& name, ChunkFiles files) {
                    result.node_types[type].data[name] = std::move(files);
                  });
}

// Splits "SOURCE:RELATION:DESTINATION" whose names hold colons themselves: the
// ends are node types. Returns no parts if none fit.
absl::StatusOr<std::vector<std::string>> SplitByEnds(
    const std::string& name, const std::vector<std::string>& known,
    const std::string& origin) {
  std::vector<std::string> parts;
  for (const std::string& src : known) {
    for (const std::string& dst : known) {
      const size_t ends = src.size() + dst.size() + 2;
      if (name.size() <= ends || !absl::StartsWith(name, src + ":") ||
          !absl::EndsWith(name, ":" + dst)) {
        continue;
      }
      if (!parts.empty()) {
        return MetadataError(
            origin, absl::StrCat("edge_type ", Shown(name),
                                 " may be read in two ways; allowed: names "
                                 "without colons"));
      }
      parts = {src, name.substr(src.size() + 1, name.size() - ends), dst};
    }
  }
  return parts;
}

absl::StatusOr<DglEdgeType> ReadEdgeType(const std::string& name,
                                         const DglMetadata& metadata,
                                         const std::string& origin) {
  std::vector<std::string> known;
  for (const DglNodeType& type : metadata.node_types) {
    known.push_back(type.name);
  }
  std::vector<std::string> parts = absl::StrSplit(name, ':');
  if (parts.size() > 3) {
    ASSIGN_OR_RETURN(parts, SplitByEnds(name, known, origin));
  }
  if (parts.size() != 3) {
    return MetadataError(
        origin, absl::StrCat("edge_type ", Shown(name),
                             "; allowed: SOURCE:RELATION:DESTINATION"));
  }
  for (const std::string& end : {parts[0], parts[2]}) {
    if (absl::c_linear_search(known, end)) continue;
    return MetadataError(
        origin, absl::StrCat(
                    "edge_type ", Shown(name), ": ", Shown(end),
                    " is no node type; allowed: ", absl::StrJoin(known, ", ")));
  }
  DglEdgeType type;
  type.src = parts[0];
  type.rel = parts[1];
  type.dst = parts[2];
  return type;
}

absl::Status ReadEnds(const Json& metadata,
                      const std::vector<std::string>& names,
                      const std::string& origin, DglMetadata& result) {
  ASSIGN_OR_RETURN(const Json* edges, Require(metadata, "edges", origin));
  const std::string where = absl::StrCat(origin, ": edges");
  if (!edges->is_object()) return MetadataError(where, "it is no object");
  for (const auto& [name, json] : edges->items()) {
    const auto at = absl::c_find(names, name);
    if (at == names.end()) {
      return MetadataError(
          where, absl::StrCat("there is no type ", Shown(name),
                              "; allowed: ", absl::StrJoin(names, ", ")));
    }
    ASSIGN_OR_RETURN(
        result.edge_types[static_cast<size_t>(at - names.begin())].ends,
        ReadFiles(json, absl::StrCat(where, ".", name)));
  }
  for (const DglEdgeType& type : result.edge_types) {
    if (!type.ends.paths.empty() || type.edges.total == 0) continue;
    return MetadataError(where,
                         absl::StrCat("there is no key ", Shown(type.name())));
  }
  return absl::OkStatus();
}

absl::Status ReadEdgeTypes(const Json& metadata, const std::string& origin,
                           DglMetadata& result) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   ReadNames(metadata, "edge_type", origin));
  ASSIGN_OR_RETURN(const std::vector<ChunkCounts> counts,
                   ReadCounts(metadata, "edges", names.size(), origin));
  for (size_t t = 0; t < names.size(); ++t) {
    ASSIGN_OR_RETURN(DglEdgeType type, ReadEdgeType(names[t], result, origin));
    type.edges = counts[t];
    result.edge_types.push_back(std::move(type));
  }
  RETURN_IF_ERROR(ReadEnds(metadata, names, origin, result));
  return ReadData(metadata, "edge_data", names, origin,
                  [&](size_t type, const std::string& name, ChunkFiles files) {
                    result.edge_types[type].data[name] = std::move(files);
                  });
}

}  // namespace

absl::StatusOr<DglMetadata> ParseDglMetadata(absl::string_view text,
                                             const std::string& origin) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, origin));
  if (!json.is_object()) return MetadataError(origin, "it is no object");
  DglMetadata metadata;
  const auto name = json.find("graph_name");
  if (name != json.end() && name->is_string()) {
    metadata.graph_name = name->get<std::string>();
  }
  RETURN_IF_ERROR(ReadNodeTypes(json, origin, metadata));
  RETURN_IF_ERROR(ReadEdgeTypes(json, origin, metadata));
  for (const auto& item : json.items()) {
    if (absl::c_linear_search(kKeys, item.key())) continue;
    metadata.other_keys.push_back(item.key());
  }
  return metadata;
}

}  // namespace tributary
