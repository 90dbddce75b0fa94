// Writes GraphFigures as text and as JSON.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "partition/pipeline/check/inspect.h"

namespace tributary {
namespace {

using Json = nlohmann::ordered_json;

std::string Column(const std::optional<ColumnSchema>& column) {
  if (!column.has_value()) return "-";
  const std::string dtype(column->type_name());
  return column->dim == 0 ? dtype : absl::StrCat(dtype, "[", column->dim, "]");
}

Json ColumnJson(const std::optional<ColumnSchema>& column) {
  if (!column.has_value()) return nullptr;
  Json json = {{"dtype", DTypeName(column->dtype)}, {"dim", column->dim}};
  if (column->scaled) json["scaled"] = true;
  return json;
}

std::string HistogramText(const std::vector<uint64_t>& histogram) {
  std::string text;
  for (size_t k = 0; k < histogram.size(); ++k) {
    if (histogram[k] == 0) continue;
    const uint64_t low = k == 0 ? 0 : uint64_t{1} << (k - 1);
    const uint64_t high = k == 0 ? 0 : (low << 1) - 1;
    const std::string range =
        low == high ? absl::StrCat(low) : absl::StrCat(low, "-", high);
    absl::StrAppendFormat(&text, "    degree %-20s %d\n", range, histogram[k]);
  }
  return text;
}

double CutShare(const EdgeTypeSchema& type, const EdgeTypeFigures& figures) {
  return type.num_edges == 0 ? 0
                             : static_cast<double>(figures.cut_edges) /
                                   static_cast<double>(type.num_edges);
}

// Returns ", time 5 to 9"; empty without times.
std::string TimeText(bool timed, const std::optional<TimeRange>& range) {
  if (!timed) return "";
  if (!range.has_value()) return ", time of none";
  return absl::StrCat(", time ", range->first, " to ", range->last);
}

// Returns null without times; otherwise [first, last], or [] if nothing has a
// time.
Json TimeJson(bool timed, const std::optional<TimeRange>& range) {
  if (!timed) return nullptr;
  if (!range.has_value()) return Json::array();
  return Json::array({range->first, range->last});
}

// Returns ", ids texts (96 bytes)"; empty without a dictionary.
std::string IdsText(const std::optional<DictionaryFigures>& ids) {
  if (!ids.has_value()) return "";
  return absl::StrFormat(", ids %s (%d bytes)",
                         ids->texts ? "texts" : "numbers", ids->bytes);
}

Json IdsJson(const std::optional<DictionaryFigures>& ids) {
  if (!ids.has_value()) return nullptr;
  return {{"kind", ids->texts ? "texts" : "numbers"}, {"bytes", ids->bytes}};
}

Json WeightJson(const EdgeTypeSchema& type) {
  if (!type.weighted) return nullptr;
  return DTypeName(type.weight_dtype);
}

// Returns "weight float32 (3 nodes without mass), time 5 to 9, mask train (8
// edges), neighbours' ids, degrees", without the columns that the type does not
// have.
std::string EdgeColumnsText(const EdgeTypeSchema& type,
                            const EdgeTypeFigures& figures) {
  std::string text;
  if (type.weighted) {
    absl::StrAppendFormat(&text, ", weight %s (%d nodes without mass)",
                          DTypeName(type.weight_dtype), figures.massless_rows);
  }
  absl::StrAppend(&text, TimeText(type.timed, figures.time));
  for (size_t m = 0; m < type.masks.size(); ++m) {
    absl::StrAppendFormat(&text, ", mask %s (%d edges)", type.masks[m],
                          figures.masked[m]);
  }
  if (type.neighbor_ids) absl::StrAppend(&text, ", neighbours' ids");
  if (type.degrees) absl::StrAppend(&text, ", degrees");
  if (type.edge_index) absl::StrAppend(&text, ", edge index");
  return text;
}

Json NodeTypeJson(const NodeTypeSchema& type, const NodeTypeFigures& figures) {
  return {{"name", type.name},
          {"num_nodes", type.num_nodes},
          {"x", ColumnJson(type.x)},
          {"y", ColumnJson(type.y)},
          {"time", TimeJson(type.timed, figures.time)},
          {"ids", IdsJson(figures.ids)},
          {"base", type.base},
          {"balance", figures.balance}};
}

// Returns how many edges each mask is true for, by its name.
Json MasksJson(const EdgeTypeSchema& type, const EdgeTypeFigures& figures) {
  Json json = Json::object();
  for (size_t m = 0; m < type.masks.size(); ++m) {
    json[type.masks[m]] = figures.masked[m];
  }
  return json;
}

Json EdgeTypeJson(const EdgeTypeSchema& type, const EdgeTypeFigures& figures) {
  return {{"name", type.name()},
          {"num_edges", type.num_edges},
          {"edge_attr", ColumnJson(type.edge_attr)},
          {"weight", WeightJson(type)},
          {"massless_rows", figures.massless_rows},
          {"time", TimeJson(type.timed, figures.time)},
          {"masks", MasksJson(type, figures)},
          {"neighbor_ids", type.neighbor_ids},
          {"degrees", type.degrees},
          {"edge_index", type.edge_index},
          {"partition_edges", type.partition_edges},
          {"balance", figures.balance},
          {"cut_edges", figures.cut_edges},
          {"max_degree", figures.max_degree},
          {"degree_histogram", figures.degree_histogram}};
}

Json SplitJson(const SplitSchema& split, const SplitFigures& figures) {
  return {{"name", split.full_name()},
          {split.of_edges() ? "edge_type" : "node_type", split.type},
          {"count", split.count},
          {"partition_counts", figures.partition_counts},
          {"balance", figures.balance}};
}

double Share(uint64_t part, int64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// Returns a line for each partition, of the first ones of many.
std::string PartitionsText(const GraphSchema& schema,
                           const GraphFigures& figures) {
  constexpr size_t kMost = 32;
  std::string text;
  for (size_t p = 0; p < std::min(kMost, figures.partitions.size()); ++p) {
    const PartitionFigures& part = figures.partitions[p];
    absl::StrAppendFormat(
        &text, "  partition %d: %d nodes, %d edges, cut %.2f %%, %d bytes", p,
        part.nodes, part.edges, 100 * Share(part.cut_edges, part.edges),
        part.bytes);
    for (size_t s = 0; s < schema.splits.size() && s < kMost; ++s) {
      absl::StrAppendFormat(&text, ", %s of %s %d",
                            schema.splits[s].full_name(), schema.splits[s].type,
                            figures.splits[s].partition_counts[p]);
    }
    text += "\n";
  }
  if (figures.partitions.size() > kMost) {
    absl::StrAppendFormat(&text, "  and %d partitions more: --json has all\n",
                          figures.partitions.size() - kMost);
  }
  return text;
}

// Returns the totals of the cut and the balances over all types.
std::string TotalsText(const GraphFigures& figures) {
  const PartitionTotals totals = TotalsOf(figures);
  return absl::StrFormat(
      "  in all: cut %.2f %% of %d edges, fullest partition %.3f x mean of "
      "nodes, %.3f of edges, %.3f of bytes\n",
      100 * Share(totals.cut_edges, totals.edges), totals.edges,
      totals.node_balance, totals.edge_balance, totals.byte_balance);
}

Json TotalsJson(const GraphFigures& figures) {
  const PartitionTotals totals = TotalsOf(figures);
  return {{"num_edges", totals.edges},
          {"cut_edges", totals.cut_edges},
          {"node_balance", totals.node_balance},
          {"edge_balance", totals.edge_balance},
          {"byte_balance", totals.byte_balance}};
}

Json PartitionsJson(const GraphFigures& figures) {
  Json list = Json::array();
  for (const PartitionFigures& part : figures.partitions) {
    list.push_back({{"nodes", part.nodes},
                    {"edges", part.edges},
                    {"cut_edges", part.cut_edges},
                    {"bytes", part.bytes}});
  }
  return list;
}

}  // namespace

std::string FiguresText(const GraphSchema& schema,
                        const GraphFigures& figures) {
  std::string text = absl::StrFormat(
      "graph %s: %d partitions by %s\ncontent %s\nlayout  %s\nmade by %s\n",
      schema.name, schema.num_partitions, schema.partition_method,
      ToHex(schema.content_digest), ToHex(schema.layout_digest),
      schema.made_by);
  for (size_t t = 0; t < schema.node_types.size(); ++t) {
    const NodeTypeSchema& type = schema.node_types[t];
    absl::StrAppendFormat(
        &text,
        "  nodes %s: %d, x %s, y %s%s%s, fullest partition %.3f x mean\n",
        type.name, type.num_nodes, Column(type.x), Column(type.y),
        TimeText(type.timed, figures.node_types[t].time),
        IdsText(figures.node_types[t].ids), figures.node_types[t].balance);
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    const EdgeTypeSchema& type = schema.edge_types[t];
    const EdgeTypeFigures& edges = figures.edge_types[t];
    absl::StrAppendFormat(
        &text,
        "  edges %s: %d, edge_attr %s%s, cut %.2f %%, fullest "
        "partition %.3f x mean, largest in-degree %d\n%s",
        type.name(), type.num_edges, Column(type.edge_attr),
        EdgeColumnsText(type, edges), 100 * CutShare(type, edges),
        edges.balance, edges.max_degree, HistogramText(edges.degree_histogram));
  }
  for (size_t s = 0; s < schema.splits.size(); ++s) {
    const SplitSchema& split = schema.splits[s];
    absl::StrAppendFormat(&text,
                          "  split %s of %s: %d\n"
                          "    fullest partition %.3f x mean\n",
                          split.full_name(), split.type, split.count,
                          figures.splits[s].balance);
  }
  text += PartitionsText(schema, figures) + TotalsText(figures);
  for (const auto& [kind, bytes] : figures.bytes) {
    absl::StrAppendFormat(&text, "  bytes %-12s %d\n", kind, bytes);
  }
  return text;
}

std::string FiguresJson(const GraphSchema& schema,
                        const GraphFigures& figures) {
  Json json = {{"name", schema.name},
               {"heterogeneous", schema.heterogeneous},
               {"semantics_version", schema.semantics_version},
               {"num_partitions", schema.num_partitions},
               {"partition_method", schema.partition_method},
               {"made_by", schema.made_by},
               {"content_digest", ToHex(schema.content_digest)},
               {"layout_digest", ToHex(schema.layout_digest)},
               {"node_types", Json::array()},
               {"edge_types", Json::array()},
               {"splits", Json::array()},
               {"partitions", PartitionsJson(figures)},
               {"totals", TotalsJson(figures)},
               {"bytes", figures.bytes}};
  for (size_t t = 0; t < schema.node_types.size(); ++t) {
    json["node_types"].push_back(
        NodeTypeJson(schema.node_types[t], figures.node_types[t]));
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    json["edge_types"].push_back(
        EdgeTypeJson(schema.edge_types[t], figures.edge_types[t]));
  }
  for (size_t s = 0; s < schema.splits.size(); ++s) {
    json["splits"].push_back(SplitJson(schema.splits[s], figures.splits[s]));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tributary
