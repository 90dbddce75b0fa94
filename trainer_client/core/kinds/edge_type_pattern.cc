#include "trainer_client/core/kinds/edge_type_pattern.h"

#include <utility>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/text/status.h"
#include "trainer_client/core/kinds/option_error.h"

namespace tributary {
namespace {

constexpr absl::string_view kAny = "*";

bool Matches(absl::string_view pattern, const EdgeTypeSchema& type) {
  if (pattern == kAny) return true;
  const std::vector<absl::string_view> parts = absl::StrSplit(pattern, ',');
  const auto fits = [](absl::string_view part, const std::string& name) {
    return part == kAny || part == name;
  };
  return parts.size() == 3 && fits(parts[0], type.src) &&
         fits(parts[1], type.rel) && fits(parts[2], type.dst);
}

bool HasSplit(const GraphSchema& schema, const std::string& type,
              absl::string_view split) {
  return schema.FindSplit(type, std::string(split)).ok();
}

absl::Status NoneMatches(const GraphSchema& schema, absl::string_view pattern,
                         absl::string_view split) {
  std::vector<std::string> with_split;
  for (const EdgeTypeSchema& type : schema.edge_types) {
    if (!type.reverse && HasSplit(schema, type.name(), split)) {
      with_split.push_back(type.name());
    }
  }
  return absl::NotFoundError(
      absl::StrCat("no edge type of graph '", schema.name, "' matches '",
                   pattern, "' and has a split '", split, "'; allowed: ",
                   with_split.empty()
                       ? absl::StrCat("splits that exist; the edge types are ",
                                      schema.EdgeTypeNames())
                       : absl::StrJoin(with_split, " ")));
}

}  // namespace

bool IsEdgeTypePattern(absl::string_view edge_type) {
  const std::vector<absl::string_view> parts = absl::StrSplit(edge_type, ',');
  return (parts.size() == 1 || parts.size() == 3) &&
         absl::c_linear_search(parts, kAny);
}

absl::StatusOr<std::vector<std::string>> EdgeTypesWithSplit(
    const GraphSchema& schema, absl::string_view pattern,
    absl::string_view split) {
  if (schema.FindEdgeType(std::string(pattern)) >= 0) {
    return std::vector<std::string>{std::string(pattern)};
  }
  std::vector<std::string> types;
  for (const EdgeTypeSchema& type : schema.edge_types) {
    if (!type.reverse && Matches(pattern, type) &&
        HasSplit(schema, type.name(), split)) {
      types.push_back(type.name());
    }
  }
  if (types.empty()) return NoneMatches(schema, pattern, split);
  return types;
}

absl::Status ExpandEdgeTypes(const GraphSchema& schema,
                             SessionOptions* options) {
  auto* link = std::get_if<LinkOptions>(&options->kind);
  if (link == nullptr) return absl::OkStatus();
  std::vector<EdgeTypeLinks> expanded;
  for (EdgeTypeLinks& list : link->lists) {
    if (!IsEdgeTypePattern(list.edge_type)) {
      expanded.push_back(std::move(list));
      continue;
    }
    if (list.input_split.empty()) {
      return BadLoaderOption("edge_type", list.edge_type,
                             "one edge type for links that are listed; several "
                             "with input_split");
    }
    ASSIGN_OR_RETURN(
        const std::vector<std::string> types,
        EdgeTypesWithSplit(schema, list.edge_type, list.input_split));
    for (const std::string& type : types) {
      expanded.push_back({.edge_type = type, .input_split = list.input_split});
    }
  }
  link->lists = std::move(expanded);
  return absl::OkStatus();
}

}  // namespace tributary
