#include "partition/pipeline/inputs/layout/layout_flags.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/layout/layout_json.h"
#include "partition/pipeline/inputs/text/number_text.h"

namespace tributary {
namespace {

absl::Status FlagError(absl::string_view flag, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", what));
}

// Returns the place of columns or arrays that a flag lists.
absl::StatusOr<ColumnPlace> PlaceOf(absl::string_view flag,
                                    const std::vector<std::string>& texts) {
  ColumnPlace place;
  for (const std::string& text : texts) {
    const ColumnPlace one = ParseColumnPlace(text);
    auto& to = one.columns.empty() ? place.arrays : place.columns;
    to.push_back(text);
  }
  if (place.columns.empty() || place.arrays.empty()) return place;
  return FlagError(flag, "columns and arrays; allowed: either");
}

absl::Status Apply(absl::string_view flag,
                   const std::vector<std::string>& texts, ColumnPlace& to) {
  if (texts.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(to, PlaceOf(flag, texts));
  return absl::OkStatus();
}

absl::Status Apply(absl::string_view flag,
                   const std::optional<std::string>& text, ColumnPlace& to) {
  if (!text.has_value()) return absl::OkStatus();
  return Apply(flag, std::vector<std::string>{*text}, to);
}

absl::Status ApplyTableFlags(const LayoutFlags& flags, GraphLayout& layout) {
  if (flags.ids.has_value()) {
    const auto ids = ParseIdKind(*flags.ids);
    if (!ids.ok()) return FlagError("--ids", ids.status().message());
    layout.ids = *ids;
  }
  if (flags.delimiter.has_value()) {
    const auto delimiter = ParseDelimiter(*flags.delimiter);
    if (!delimiter.ok()) {
      return FlagError("--delimiter", delimiter.status().message());
    }
    layout.delimiter = *delimiter;
  }
  if (flags.header.has_value()) {
    if (*flags.header != "yes" && *flags.header != "no") {
      return FlagError("--header", absl::StrCat("\"", *flags.header,
                                                "\"; allowed: yes, no"));
    }
    layout.header = *flags.header == "yes";
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ApplyFlags(const LayoutFlags& flags, GraphLayout& layout) {
  RETURN_IF_ERROR(ApplyTableFlags(flags, layout));
  NodeLayout& nodes = layout.nodes.at(0);
  EdgeLayout& edges = layout.edges.at(0);
  if (flags.num_nodes.has_value()) {
    nodes.count = ParseCount(*flags.num_nodes);
    if (!nodes.count.has_value()) {
      return FlagError("--num-nodes",
                       absl::StrCat("\"", *flags.num_nodes,
                                    "\"; allowed: a whole number from 0"));
    }
  }
  RETURN_IF_ERROR(Apply("--src", flags.src, edges.from));
  RETURN_IF_ERROR(Apply("--dst", flags.dst, edges.to));
  RETURN_IF_ERROR(
      Apply("--edge-features", flags.edge_features, edges.features));
  RETURN_IF_ERROR(Apply("--node-id", flags.node_id, nodes.id));
  RETURN_IF_ERROR(Apply("--features", flags.features, nodes.features));
  RETURN_IF_ERROR(Apply("--labels", flags.labels, nodes.labels));
  RETURN_IF_ERROR(Apply("--split", flags.split, nodes.split));
  const bool of_table = !nodes.id.empty() || !nodes.split.empty() ||
                        !nodes.features.columns.empty() ||
                        !nodes.labels.columns.empty();
  if (of_table && nodes.table.empty()) {
    return FlagError("--node-id, --split, --features and --labels",
                     "columns of no file; allowed: with --nodes FILE");
  }
  return absl::OkStatus();
}

std::string LayoutFlagsText(const LayoutFlags& flags) {
  std::string text;
  const auto add = [&](const char* flag,
                       const std::optional<std::string>& value) {
    if (value.has_value()) absl::StrAppend(&text, " ", flag, " ", *value);
  };
  const auto add_list = [&](const char* flag,
                            const std::vector<std::string>& values) {
    if (values.empty()) return;
    absl::StrAppend(&text, " ", flag, " ", absl::StrJoin(values, ","));
  };
  add("--ids", flags.ids);
  add("--delimiter", flags.delimiter);
  add("--header", flags.header);
  add("--num-nodes", flags.num_nodes);
  add("--src", flags.src);
  add("--dst", flags.dst);
  add_list("--edge-features", flags.edge_features);
  add("--node-id", flags.node_id);
  add_list("--features", flags.features);
  add_list("--labels", flags.labels);
  add("--split", flags.split);
  return text;
}

}  // namespace tributary
