#include "partition/pipeline/check/hot_list_check.h"

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/format/paths.h"
#include "partition/format/row_crcs.h"

namespace tributary {
namespace {

// Checks the rows of one node type in one list.
class ListedNodesCheck {
 public:
  ListedNodesCheck(const std::string& list_folder, const Graph& graph, int type,
                   const HotList::Nodes& nodes)
      : folder_(list_folder),
        graph_(graph),
        type_(type),
        schema_(graph.schema().node_types[type]),
        nodes_(nodes) {}

  absl::Status CheckOrder() const {
    std::vector<bool> seen(nodes_.order.size());
    for (size_t rank = 0; rank < nodes_.order.size(); ++rank) {
      const int64_t id = nodes_.order[rank];
      if (id < 0 || id >= schema_.num_nodes) {
        return Differs(
            "order", "rank", rank,
            absl::StrCat("holds ", id, "; ids are below ", schema_.num_nodes));
      }
      if (seen[static_cast<size_t>(id)]) {
        return Differs("order", "rank", rank,
                       absl::StrCat("holds ", id, ", as an earlier one does"));
      }
      seen[static_cast<size_t>(id)] = true;
    }
    return absl::OkStatus();
  }

  absl::Status CheckRanks() const {
    for (size_t rank = 0; rank < nodes_.order.size(); ++rank) {
      const int64_t id = nodes_.order[rank];
      ASSIGN_OR_RETURN(const NodeLocation at,
                       graph_.node_map(type_).Locate(id));
      const uint64_t internal =
          static_cast<uint64_t>(schema_.base[at.partition]) + at.row;
      if (nodes_.rank[internal] == rank) continue;
      return Differs("rank", "internal id", internal,
                     absl::StrCat("has rank ", nodes_.rank[internal],
                                  "; order has node ", id, " at rank ", rank));
    }
    return absl::OkStatus();
  }

  // Returns how many rows were compared.
  absl::StatusOr<uint64_t> CheckRows(const HotListCheckOptions& options) const {
    uint64_t all = 0, compared = 0;
    for (const uint32_t p : graph_.partitions()) {
      all += graph_.nodes(type_, p)->orig_id.size();
    }
    if (options.sample.has_value() && *options.sample < all) {
      return CheckSample(options);
    }
    for (const uint32_t p : graph_.partitions()) {
      const size_t rows = graph_.nodes(type_, p)->orig_id.size();
      const size_t piece = RowsAtOnce(schema_);
      for (size_t at = 0; at < rows; at += piece) {
        RETURN_IF_ERROR(CompareRows(p, at, std::min(piece, rows - at)));
      }
      compared += rows;
    }
    return compared;
  }

 private:
  absl::StatusOr<uint64_t> CheckSample(
      const HotListCheckOptions& options) const {
    std::mt19937_64 random(options.random_seed);
    uint64_t compared = 0;
    std::vector<uint32_t> with_rows;
    for (const uint32_t p : graph_.partitions()) {
      if (!graph_.nodes(type_, p)->orig_id.empty()) with_rows.push_back(p);
    }
    for (; !with_rows.empty() && compared < *options.sample; ++compared) {
      const uint32_t p = with_rows[random() % with_rows.size()];
      const size_t rows = graph_.nodes(type_, p)->orig_id.size();
      RETURN_IF_ERROR(CompareRows(p, random() % rows, 1));
    }
    return compared;
  }

  absl::Status CompareRows(uint32_t partition, size_t at, size_t n) const {
    std::vector<uint32_t> crcs(n);
    RETURN_IF_ERROR(ReadRowCrcs(schema_, *graph_.nodes(type_, partition), at,
                                absl::MakeSpan(crcs)));
    const auto base = static_cast<size_t>(schema_.base[partition]) + at;
    for (size_t i = 0; i < n; ++i) {
      const uint32_t rank = nodes_.rank[base + i];
      if (nodes_.crc[rank] == crcs[i]) continue;
      return Differs(
          "crc", "rank", rank,
          absl::StrCat("has the CRC32C ", nodes_.crc[rank],
                       "; the row of node ", nodes_.order[rank],
                       " in partition ", partition, " has ", crcs[i]));
    }
    return absl::OkStatus();
  }

  absl::Status Differs(const std::string& array, const char* where, uint64_t at,
                       const std::string& what) const {
    return absl::DataLossError(
        absl::StrCat(folder_, "/", HotListArrayPath(schema_.name, array), ": ",
                     where, " ", at, " ", what));
  }

  const std::string& folder_;
  const Graph& graph_;
  const int type_;
  const NodeTypeSchema& schema_;
  const HotList::Nodes& nodes_;
};

// Checks that files.json lists what a list has, and nothing else.
absl::Status CheckListing(const std::string& folder, const std::string& name,
                          const GraphSchema& schema) {
  ASSIGN_OR_RETURN(const HotListFiles files,
                   ReadHotListFiles(folder, name, schema));
  size_t expected = 1;
  for (const NodeTypeSchema& type : schema.node_types) {
    expected += IsListed(type) ? 5 : 0;
  }
  if (files.files.size() == expected) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      HotListFolder(folder, name), "/", kHotListFilesJson, ": it lists ",
      files.files.size(), " files; a list of this graph has ", expected));
}

absl::StatusOr<HotListVerified> VerifyList(const std::string& folder,
                                           const std::string& name,
                                           const Graph& graph,
                                           const HotListCheckOptions& options) {
  RETURN_IF_ERROR(CheckListing(folder, name, graph.schema()));
  ASSIGN_OR_RETURN(const auto list,
                   OpenHotList(folder, name, graph.schema(), /*verify=*/true));
  const std::string list_folder = HotListFolder(folder, name);
  HotListVerified verified{.name = name};
  const auto& types = graph.schema().node_types;
  for (size_t t = 0; t < types.size(); ++t) {
    const HotList::Nodes* nodes = list->nodes(static_cast<int>(t));
    if (nodes == nullptr && !IsListed(types[t])) continue;
    if (nodes == nullptr) {
      return absl::DataLossError(absl::StrCat(list_folder, "/", kHotListJson,
                                              ": it lacks the node type ",
                                              types[t].name));
    }
    const ListedNodesCheck check(list_folder, graph, static_cast<int>(t),
                                 *nodes);
    RETURN_IF_ERROR(check.CheckOrder());
    RETURN_IF_ERROR(check.CheckRanks());
    ASSIGN_OR_RETURN(const uint64_t compared, check.CheckRows(options));
    verified.rows += nodes->order.size();
    verified.compared += compared;
  }
  RETURN_IF_ERROR(list->damage());
  RETURN_IF_ERROR(graph.damage());
  return verified;
}

}  // namespace

absl::StatusOr<std::vector<HotListVerified>> VerifyHotLists(
    const std::string& folder, const HotListCheckOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, HotListNames(folder));
  std::vector<HotListVerified> verified;
  if (names.empty()) return verified;
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(folder));
  OpenOptions open;
  open.partitions = options.partitions.Of(schema.num_partitions);
  open.features = FeatureMemory::kPaged;
  ASSIGN_OR_RETURN(const auto graph, Graph::Open(folder, open));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(HotListVerified list,
                     VerifyList(folder, name, *graph, options));
    verified.push_back(std::move(list));
  }
  return verified;
}

}  // namespace tributary
