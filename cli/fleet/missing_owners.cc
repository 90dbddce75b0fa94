#include "cli/fleet/missing_owners.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/fleet/graph_name.h"
#include "common/hash/sha256.h"
#include "trainer_client/core/fleet/wait_notice.h"

namespace tributary {
namespace {

// More would not fit a line that a person reads.
constexpr size_t kMaxNamedServers = 4;
constexpr size_t kMaxNamedPartitions = 12;

// Joins the first `most`, and counts the others.
std::string JoinFirst(std::vector<std::string> names, size_t most,
                      const char* separator) {
  const size_t count = names.size();
  names.resize(std::min(count, most));
  return absl::StrCat(
      absl::StrJoin(names, separator),
      count > most ? absl::StrCat(separator, count - most, " more") : "");
}

const ServerReport* ReportOn(const Sha256Digest& layout,
                             const ServerAnswer& answer) {
  if (!answer.reports.ok()) return nullptr;
  for (const ServerReport& report : *answer.reports) {
    if (report.schema.layout_digest == layout) return &report;
  }
  return nullptr;
}

// One graph, in one partitioning, that some server holds.
struct HeldGraph {
  const GraphSchema* schema = nullptr;
  std::vector<std::string> missing;  // partitions without an owner
};

HeldGraph FindMissing(const GraphSchema& schema,
                      absl::Span<const ServerAnswer> answers) {
  std::vector<bool> owned(schema.num_partitions, false);
  for (const ServerAnswer& answer : answers) {
    const ServerReport* const report = ReportOn(schema.layout_digest, answer);
    if (report == nullptr || report->draining) continue;
    for (const uint32_t p : report->partitions) {
      if (p < owned.size()) owned[p] = true;
    }
  }
  HeldGraph graph{&schema, {}};
  for (size_t p = 0; p < owned.size(); ++p) {
    if (!owned[p]) graph.missing.push_back(absl::StrCat(p));
  }
  return graph;
}

// Returns each graph once; the newest of a server comes last.
std::vector<HeldGraph> HeldGraphs(absl::Span<const ServerAnswer> answers) {
  std::vector<HeldGraph> graphs;
  for (const ServerAnswer& answer : answers) {
    if (!answer.reports.ok()) continue;
    for (const ServerReport& report : *answer.reports) {
      const GraphSchema& schema = report.schema;
      const bool known =
          std::any_of(graphs.begin(), graphs.end(), [&](const HeldGraph& g) {
            return g.schema->layout_digest == schema.layout_digest;
          });
      if (!known) graphs.push_back(FindMissing(schema, answers));
    }
  }
  return graphs;
}

std::string WhyNot(const GraphSchema& schema, const ServerAnswer& answer) {
  if (!answer.reports.ok()) return ShortReason(answer.reports.status());
  const ServerReport* const report = ReportOn(schema.layout_digest, answer);
  if (report == nullptr) return "holds other graphs";
  if (report->draining) return "draining";
  return absl::StrCat("partitions ", absl::StrJoin(report->partitions, ","));
}

}  // namespace

std::string MissingOwners(absl::Span<const ServerAnswer> answers) {
  const HeldGraph* best = nullptr;
  const std::vector<HeldGraph> graphs = HeldGraphs(answers);
  for (const HeldGraph& graph : graphs) {
    if (best == nullptr || graph.missing.size() <= best->missing.size()) {
      best = &graph;
    }
  }
  if (best != nullptr && best->missing.empty()) return "";
  std::vector<std::string> servers;
  for (const ServerAnswer& answer : answers) {
    servers.push_back(absl::StrCat(answer.address.ToString(), " (",
                                   best == nullptr
                                       ? ShortReason(answer.reports.status())
                                       : WhyNot(*best->schema, answer),
                                   ")"));
  }
  const std::string named =
      JoinFirst(std::move(servers), kMaxNamedServers, ", ");
  if (best == nullptr) return absl::StrCat("no server answers: ", named);
  const GraphSchema& schema = *best->schema;
  return absl::StrCat("no server owns partition ",
                      JoinFirst(best->missing, kMaxNamedPartitions, ","),
                      " of ", schema.num_partitions, " of graph ",
                      VersionedName(schema.name, schema.content_digest), ": ",
                      named);
}

}  // namespace tributary
