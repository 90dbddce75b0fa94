#include "partition/pipeline/inputs/layout/layout_json.h"

#include <filesystem>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/io/file_mapping.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxConfigBytes = size_t{16} << 20;
constexpr char kPlaceAllowed[] =
    "a column (\"weight\"), an array (\"x.npy\", \"graph.npz:x\"), or a list "
    "of either";

ColumnPlace PlaceOf(const Json* json, const char* key, JsonObject& in) {
  ColumnPlace place;
  if (json == nullptr) return place;
  for (const std::string& text : JsonTexts(*json)) {
    const ColumnPlace one = ParseColumnPlace(text);
    auto& to = one.columns.empty() ? place.arrays : place.columns;
    to.push_back(text);
  }
  const bool mixed = !place.columns.empty() && !place.arrays.empty();
  if (mixed || place.empty()) {
    in.Fail(key, absl::StrCat("is ", mixed ? "both columns and arrays" : "none",
                              "; allowed: ", kPlaceAllowed));
  }
  return place;
}

ColumnPlace Place(JsonObject& in, const char* key) {
  return PlaceOf(in.Find(key), key, in);
}

ColumnPlace OneColumn(JsonObject& in, const char* key) {
  ColumnPlace place = Place(in, key);
  if (place.columns.size() > 1) in.Fail(key, "is more than one column");
  return place;
}

// Reads an object of places by name.
std::map<std::string, ColumnPlace> Places(
    JsonObject& in, const char* key,
    absl::StatusOr<std::string> (*name_of)(const std::string&)) {
  std::map<std::string, ColumnPlace> places;
  const Json* json = in.Find(key);
  if (json == nullptr) return places;
  JsonObject object = in.Child(*json, key);
  if (!json->is_object()) return places;
  for (const auto& item : json->items()) {
    const auto name = name_of(item.key());
    if (!name.ok()) {
      object.FailWith(name.status().message());
      continue;
    }
    if (!places
             .emplace(*name, PlaceOf(&item.value(), item.key().c_str(), object))
             .second) {
      object.Fail(item.key(), "is there by another name too");
    }
  }
  return places;
}

absl::StatusOr<std::string> MaskName(const std::string& text) {
  RETURN_IF_ERROR(CheckMaskName(text));
  return text;
}

IdKind Kind(JsonObject& in, const char* key, IdKind otherwise) {
  const std::string word = in.TextOr(key, "");
  if (word.empty()) return otherwise;
  const auto kind = ParseIdKind(word);
  if (kind.ok()) return *kind;
  in.Fail(key, kind.status().message());
  return otherwise;
}

void CheckNeedsTable(
    JsonObject& in, const std::vector<std::string>& table,
    std::initializer_list<std::pair<const char*, const ColumnPlace*>> places) {
  if (!table.empty()) return;
  for (const auto& [key, place] : places) {
    if (place->columns.empty()) continue;
    in.Fail(key, absl::StrCat("is the column \"", place->columns[0],
                              "\", but there is no table; allowed: arrays "
                              "(\"x.npy\"), or a \"table\" with the columns"));
  }
}

void CheckName(JsonObject& in, const std::string& name) {
  const absl::Status status = CheckTypeName(name);
  if (!status.ok()) in.FailWith(status.message());
}

NodeLayout ReadNodes(const std::string& name, JsonObject& in) {
  NodeLayout nodes;
  nodes.name = name;
  CheckName(in, name);
  if (in.Find("count") != nullptr) nodes.count = in.Count("count");
  if (in.Find("ids") != nullptr) nodes.ids = Kind(in, "ids", IdKind::kAuto);
  nodes.table = in.Texts("table");
  nodes.id = OneColumn(in, "id");
  nodes.features = Place(in, "features");
  nodes.labels = Place(in, "labels");
  nodes.time = OneColumn(in, "time");
  nodes.split = OneColumn(in, "split");
  nodes.splits = Places(in, "splits", SplitName);
  CheckNeedsTable(in, nodes.table,
                  {{"id", &nodes.id},
                   {"features", &nodes.features},
                   {"labels", &nodes.labels},
                   {"time", &nodes.time},
                   {"split", &nodes.split}});
  for (const auto& [split, place] : nodes.splits) {
    CheckNeedsTable(in, nodes.table, {{split.c_str(), &place}});
  }
  if (!nodes.split.arrays.empty()) {
    in.Fail("split", "is an array; allowed: a column of the table");
  }
  if (!nodes.id.arrays.empty()) {
    in.Fail("id", "is an array; allowed: a column of the table");
  }
  in.RefuseOthers();
  return nodes;
}

// Checks that the ends are given in one way. A table alone has them.
void CheckEnds(JsonObject& in, const EdgeLayout& edges) {
  const bool pair = !edges.from.empty() || !edges.to.empty();
  const bool compressed = !edges.indptr.empty() || !edges.indices.empty();
  const int ways =
      (pair ? 1 : 0) + (edges.index.empty() ? 0 : 1) + (compressed ? 1 : 0);
  if (ways == 0 && !edges.table.empty()) return;
  const bool whole =
      (!pair || (!edges.from.empty() && !edges.to.empty())) &&
      (!compressed || (!edges.indptr.empty() && !edges.indices.empty()));
  if (ways == 1 && whole) return;
  in.Fail("the ends",
          "of edges are given in " +
              std::string(ways == 0  ? "no way"
                          : ways > 1 ? "more than one way"
                                     : "one part only") +
              "; allowed: src and dst, or index, or indptr and indices, or "
              "a table that has them");
}

EdgeLayout ReadEdges(const std::string& name, JsonObject& in) {
  EdgeLayout edges;
  const std::vector<std::string> parts = absl::StrSplit(name, ',');
  if (parts.size() != 3) {
    in.Absorb(absl::InvalidArgumentError(
        absl::StrCat(in.where(),
                     " is no edge type; allowed: "
                     "\"SOURCE,RELATION,DESTINATION\", as in "
                     "\"author,writes,paper\"")));
    return edges;
  }
  edges.src = parts[0];
  edges.rel = parts[1];
  edges.dst = parts[2];
  for (const std::string& part : parts) CheckName(in, part);
  edges.table = in.Texts("table");
  edges.from = OneColumn(in, "src");
  edges.to = OneColumn(in, "dst");
  edges.index = Place(in, "index");
  edges.indptr = Place(in, "indptr");
  edges.indices = Place(in, "indices");
  edges.edge_ids = Place(in, "edge_ids");
  const std::string compressed = in.TextOr("compressed", "");
  edges.by_source = compressed == "csr";
  if (!compressed.empty() && compressed != "csr" && compressed != "csc") {
    in.Fail("compressed", absl::StrCat("is \"", compressed,
                                       "\"; allowed: csc (indptr by "
                                       "destination), csr (by source)"));
  }
  if (!edges.indptr.empty() && compressed.empty()) {
    in.Fail("compressed", "is needed beside indptr; allowed: csc, csr");
  }
  edges.features = Place(in, "features");
  edges.weight = OneColumn(in, "weight");
  edges.time = OneColumn(in, "time");
  edges.masks = Places(in, "masks", MaskName);
  edges.splits = Places(in, "splits", SplitName);
  CheckNeedsTable(in, edges.table,
                  {{"src", &edges.from},
                   {"dst", &edges.to},
                   {"features", &edges.features},
                   {"weight", &edges.weight},
                   {"time", &edges.time}});
  for (const auto* places : {&edges.masks, &edges.splits}) {
    for (const auto& [key, place] : *places) {
      CheckNeedsTable(in, edges.table, {{key.c_str(), &place}});
    }
  }
  for (const auto& [key, place] :
       {std::pair("index", &edges.index), std::pair("indptr", &edges.indptr),
        std::pair("indices", &edges.indices),
        std::pair("edge_ids", &edges.edge_ids)}) {
    if (!place->columns.empty()) {
      in.Fail(key, "is a column; allowed: an array (\"x.npy\")");
    }
  }
  if (!edges.edge_ids.empty() && edges.indptr.empty()) {
    in.Fail("edge_ids", "is there without indptr and indices");
  }
  CheckEnds(in, edges);
  in.RefuseOthers();
  return edges;
}

// Reads the members of `key`, objects by type.
template <typename Layout>
std::vector<Layout> ReadTypes(JsonObject& in, const char* key,
                              Layout (*read)(const std::string&, JsonObject&)) {
  std::vector<Layout> types;
  const Json* json = in.Find(key);
  if (json == nullptr) return types;
  const JsonObject all = in.Child(*json, key);
  if (!json->is_object()) return types;
  for (const auto& item : json->items()) {
    JsonObject object = all.Child(item.value(), item.key());
    types.push_back(read(item.key(), object));
  }
  return types;
}

// Whether a text names an array or a list, not a column.
bool IsFileName(absl::string_view text) {
  absl::ConsumeSuffix(&text, ".gz");
  for (absl::string_view suffix :
       {".npy", ".csv", ".tsv", ".txt", ".parquet"}) {
    if (absl::EndsWith(text, suffix)) return true;
  }
  return absl::StrContains(text, ".npz:");
}

}  // namespace

absl::StatusOr<std::string> SplitName(const std::string& text) {
  std::vector<std::string> parts = absl::StrSplit(text, '/');
  if (parts.size() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is no split; allowed: NAME, SCHEME/NAME"));
  }
  for (const std::string& part : parts) RETURN_IF_ERROR(CheckFileName(part));
  if (parts.back() == "val") parts.back() = "valid";
  return parts.size() == 1 ? parts[0] : absl::StrCat(parts[0], "/", parts[1]);
}

ColumnPlace ParseColumnPlace(const std::string& text) {
  ColumnPlace place;
  (IsFileName(text) ? place.arrays : place.columns).push_back(text);
  return place;
}

absl::StatusOr<IdKind> ParseIdKind(absl::string_view word) {
  for (IdKind kind :
       {IdKind::kAuto, IdKind::kDense, IdKind::kNumber, IdKind::kString}) {
    if (word == IdKindName(kind)) return kind;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", word,
      "\" is no kind of ids; allowed: auto, dense, number, string"));
}

absl::StatusOr<char> ParseDelimiter(absl::string_view word) {
  constexpr std::pair<const char*, char> kWords[] = {{"comma", ','},
                                                     {"tab", '\t'},
                                                     {"semicolon", ';'},
                                                     {"pipe", '|'},
                                                     {"space", ' '}};
  for (const auto& [name, c] : kWords) {
    if (word == name) return c;
  }
  if (word.size() == 1 && word[0] != '"' && word[0] != '.' && word[0] != '-' &&
      word[0] != '+' && word[0] != '#' && !absl::ascii_isalnum(word[0]) &&
      (word[0] == '\t' || absl::ascii_isprint(word[0]))) {
    return word[0];
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", word,
                   "\" is no delimiter; allowed: comma, tab, semicolon, pipe, "
                   "space, or one such character"));
}

absl::StatusOr<GraphLayout> ParseGraphLayout(absl::string_view text,
                                             const std::string& origin) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text, origin));
  JsonObject in(json, origin);
  GraphLayout layout;
  layout.origin = origin;
  layout.name = in.TextOr("name", "");
  layout.ids = Kind(in, "ids", IdKind::kAuto);
  if (const std::string word = in.TextOr("delimiter", ""); !word.empty()) {
    const auto delimiter = ParseDelimiter(word);
    if (delimiter.ok()) layout.delimiter = *delimiter;
    if (!delimiter.ok()) in.Fail("delimiter", delimiter.status().message());
  }
  if (in.Find("header") != nullptr) layout.header = in.Bool("header");
  layout.nodes = ReadTypes(in, "nodes", ReadNodes);
  layout.edges = ReadTypes(in, "edges", ReadEdges);
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  if (layout.edges.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(origin,
                     ": there are no edges; wanted: \"edges\": "
                     "{\"node,to,node\": {\"table\": \"edges.csv\"}}"));
  }
  layout.Complete();
  return layout;
}

absl::StatusOr<GraphLayout> ReadGraphLayout(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxConfigBytes));
  ASSIGN_OR_RETURN(GraphLayout layout, ParseGraphLayout(text, path));
  layout.folder = std::filesystem::path(path).parent_path();
  return layout;
}

}  // namespace tributary
