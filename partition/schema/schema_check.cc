#include "partition/schema/schema_check.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/text/status.h"
#include "common/text/utf8.h"

namespace tributary {
namespace {

absl::Status Contradiction(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("graph.json: ", what));
}

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Returns whether the text, which must be UTF-8, has a character of C0 or C1,
// or DEL.
bool HasControl(absl::string_view text) {
  while (!text.empty()) {
    const Utf8Character next = DecodeUtf8(text);
    if (next.code < 0x20 || (next.code >= 0x7f && next.code < 0xa0)) {
      return true;
    }
    text.remove_prefix(next.bytes);
  }
  return false;
}

// Checks that `base` begins with 0, ascends, ends with the number of nodes, and
// has P + 1 entries.
absl::Status CheckBase(const NodeTypeSchema& type, uint32_t num_partitions) {
  const auto& base = type.base;
  if (base.size() == size_t{num_partitions} + 1 && base.front() == 0 &&
      base.back() == type.num_nodes &&
      std::is_sorted(base.begin(), base.end())) {
    return absl::OkStatus();
  }
  return Contradiction(absl::StrCat(
      "base of node type ", type.name, " does not ascend from 0 to its ",
      type.num_nodes, " nodes in ", num_partitions, " partitions"));
}

absl::Status CheckPartitionEdges(const EdgeTypeSchema& type,
                                 uint32_t num_partitions) {
  uint64_t sum = 0;
  for (int64_t n : type.partition_edges) sum += static_cast<uint64_t>(n);
  if (type.partition_edges.size() == num_partitions &&
      sum == static_cast<uint64_t>(type.num_edges)) {
    return absl::OkStatus();
  }
  return Contradiction(absl::StrCat(
      "partition_edges of edge type ", type.name(), " do not sum up to its ",
      type.num_edges, " edges in ", num_partitions, " partitions"));
}

// Checks that rows of int8 alone are scaled, and only where `may_be_scaled`.
absl::Status CheckColumn(const std::optional<ColumnSchema>& column,
                         absl::string_view name, absl::string_view type,
                         bool may_be_scaled) {
  if (!column.has_value() || !column->scaled) return absl::OkStatus();
  if (may_be_scaled && column->dtype == DType::kInt8) return absl::OkStatus();
  return Contradiction(absl::StrCat(name, " of ", type, " is scaled ",
                                    std::string(DTypeName(column->dtype)),
                                    "; allowed: x and edge_attr of int8"));
}

absl::Status CheckEdgeType(const EdgeTypeSchema& type,
                           uint32_t num_partitions) {
  for (const std::string* name : {&type.src, &type.rel, &type.dst}) {
    RETURN_IF_ERROR(CheckTypeName(*name));
  }
  if (type.src_type < 0 || type.dst_type < 0) {
    return Contradiction(absl::StrCat("edge type ", type.name(),
                                      " has an end of no known node type"));
  }
  if (type.weight_dtype != DType::kFloat32 &&
      type.weight_dtype != DType::kFloat64) {
    return Contradiction(absl::StrCat("weight of edge type ", type.name(),
                                      " is ",
                                      std::string(DTypeName(type.weight_dtype)),
                                      "; float32 and float64 are allowed"));
  }
  RETURN_IF_ERROR(CheckColumn(type.edge_attr, "edge_attr", type.name(), true));
  RETURN_IF_ERROR(CheckMaskNames(type.masks));
  if (!std::is_sorted(type.masks.begin(), type.masks.end())) {
    return Contradiction(absl::StrCat("masks of edge type ", type.name(),
                                      " do not ascend by name"));
  }
  if (type.edge_index && type.num_edge_ids < type.num_edges) {
    return Contradiction(absl::StrCat(
        "edge_index of edge type ", type.name(), " is ", type.num_edge_ids,
        "; it has ", type.num_edges, " edges of distinct ids"));
  }
  return CheckPartitionEdges(type, num_partitions);
}

absl::Status CheckReverse(const GraphSchema& schema, int type) {
  const EdgeTypeSchema& reverse = schema.edge_types[type];
  if (!reverse.reverse) return absl::OkStatus();
  const int of =
      absl::StartsWith(reverse.rel, "rev_") ? schema.ReverseOf(type) : -1;
  if (of >= 0 && schema.edge_types[of].num_edges == reverse.num_edges) {
    return absl::OkStatus();
  }
  return Contradiction(absl::StrCat("edge type ", reverse.name(),
                                    " is the reverse of none with as many "
                                    "edges"));
}

absl::Status CheckSplit(const SplitSchema& split, const GraphSchema& schema) {
  RETURN_IF_ERROR(CheckFileName(split.name));
  if (!split.scheme.empty()) RETURN_IF_ERROR(CheckFileName(split.scheme));
  const int type = split.of_edges() ? schema.FindEdgeType(split.type)
                                    : schema.FindNodeType(split.type);
  if (type >= 0) return absl::OkStatus();
  return Contradiction(absl::StrCat("split ", split.name, " is of no known ",
                                    split.of_edges() ? "edge" : "node",
                                    " type: ", split.type));
}

// Returns whether the path stays in the graph's folder.
bool IsSafePath(absl::string_view path) {
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
    if (std::any_of(part.begin(), part.end(), IsControl)) return false;
  }
  return true;
}

absl::Status CheckFiles(const std::vector<FileSchema>& files) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (!IsSafePath(files[i].path)) {
      return Contradiction(
          absl::StrCat("'", files[i].path, "' is no path below the graph"));
    }
    if (i > 0 && files[i - 1].path >= files[i].path) {
      return Contradiction(
          absl::StrCat("files do not ascend at '", files[i].path, "'"));
    }
  }
  return absl::OkStatus();
}

// Tensors of a batch are named by the joined names of an edge type.
absl::Status CheckJoinedNames(const std::vector<EdgeTypeSchema>& edge_types) {
  std::map<std::string, std::string> types;
  for (const EdgeTypeSchema& type : edge_types) {
    const std::string joined =
        absl::StrCat(type.src, "__", type.rel, "__", type.dst);
    const auto [at, is_new] = types.emplace(joined, type.name());
    if (is_new) continue;
    return Contradiction(absl::StrCat("edge types ", at->second, " and ",
                                      type.name(), " would both be called ",
                                      joined));
  }
  return absl::OkStatus();
}

template <typename T, typename Key>
bool StrictlyAscends(const std::vector<T>& items, Key key) {
  return std::adjacent_find(items.begin(), items.end(),
                            [&](const T& a, const T& b) {
                              return key(a) >= key(b);
                            }) == items.end();
}

absl::Status CheckOrders(const GraphSchema& schema) {
  if (!StrictlyAscends(schema.node_types,
                       [](const auto& t) { return std::tie(t.name); })) {
    return Contradiction("node_types do not ascend by name");
  }
  if (!StrictlyAscends(schema.edge_types, [](const auto& t) {
        return std::tie(t.src, t.rel, t.dst);
      })) {
    return Contradiction("edge_types do not ascend by (src, rel, dst)");
  }
  if (!StrictlyAscends(schema.splits, [](const auto& s) {
        return std::tie(s.scheme, s.type, s.name);
      })) {
    return Contradiction("splits do not ascend by (scheme, type, name)");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckTypeName(absl::string_view name) {
  if (!name.empty() && name.size() <= kMaxTypeNameBytes &&
      !absl::StrContains(name, "__") && !absl::StrContains(name, ",") &&
      IsUtf8(name) && !HasControl(name)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", absl::Utf8SafeCHexEscape(name.substr(0, 2 * kMaxTypeNameBytes)),
      "' is no name of a type: allowed are 1 to ", kMaxTypeNameBytes,
      " bytes of UTF-8 without ',', '__' and control characters"));
}

absl::Status CheckFileName(absl::string_view name) {
  if (CheckTypeName(name).ok() && name.size() <= kMaxFileNameBytes &&
      name != "." && name != ".." && !absl::StrContains(name, "/")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", absl::Utf8SafeCHexEscape(name.substr(0, 2 * kMaxTypeNameBytes)),
      "' is no name of a file: allowed are 1 to ", kMaxFileNameBytes,
      " bytes of UTF-8 without ',', '/', '__' and control characters, but "
      "not '.' and '..'"));
}

absl::Status CheckMaskName(absl::string_view name) {
  constexpr size_t kMostBytes = 64;
  if (CheckFileName(name).ok() && name.size() <= kMostBytes &&
      name.find_first_of(" <>=!:;[]") == absl::string_view::npos) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", absl::CHexEscape(name.substr(0, 2 * kMostBytes)),
      "' is no name of a mask: allowed are 1 to ", kMostBytes,
      " bytes of UTF-8 without blanks and control characters, , / __ < > = ! "
      ": ; [ and ]"));
}

absl::Status CheckMaskNames(const std::vector<std::string>& names) {
  if (names.size() > kMaxEdgeMasks) {
    return absl::InvalidArgumentError(absl::StrCat(
        names.size(), " masks of edges; allowed: up to ", kMaxEdgeMasks));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    RETURN_IF_ERROR(CheckMaskName(names[i]));
    if (std::count(names.begin(), names.begin() + i, names[i]) == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("mask '", names[i], "' is named twice; allowed: once"));
  }
  return absl::OkStatus();
}

absl::Status CheckSchema(const GraphSchema& schema) {
  if (schema.num_partitions < 1 || schema.num_partitions > kMaxPartitions) {
    return Contradiction(absl::StrCat("num_partitions is ",
                                      schema.num_partitions, "; 1 to ",
                                      kMaxPartitions, " are allowed"));
  }
  if (schema.node_types.empty()) return Contradiction("no node types");
  RETURN_IF_ERROR(CheckOrders(schema));
  for (const NodeTypeSchema& type : schema.node_types) {
    RETURN_IF_ERROR(CheckTypeName(type.name));
    RETURN_IF_ERROR(CheckBase(type, schema.num_partitions));
    RETURN_IF_ERROR(CheckColumn(type.x, "x", type.name, true));
    RETURN_IF_ERROR(CheckColumn(type.y, "y", type.name, false));
  }
  for (const EdgeTypeSchema& type : schema.edge_types) {
    RETURN_IF_ERROR(CheckEdgeType(type, schema.num_partitions));
  }
  RETURN_IF_ERROR(CheckJoinedNames(schema.edge_types));
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    RETURN_IF_ERROR(CheckReverse(schema, static_cast<int>(t)));
  }
  for (const SplitSchema& split : schema.splits) {
    RETURN_IF_ERROR(CheckSplit(split, schema));
  }
  return CheckFiles(schema.files);
}

}  // namespace tributary
