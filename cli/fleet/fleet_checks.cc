#include "cli/fleet/fleet_checks.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/envelope.h"
#include "cli/fleet/peer_checks.h"
#include "cli/fleet/server_check.h"
#include "common/fleet/graph_name.h"
#include "common/random/hop_key.h"
#include "common/text/named_list.h"

namespace tributary {
namespace {

using Level = Check::Level;

// The reports on one graph, or the first report of each server, by the server's
// address.
using Reports = std::map<std::string, const ServerReport*>;

// Finds addresses that lead to the same server, by its incarnation.
Check CheckDoubles(const Reports& reports) {
  std::map<uint64_t, std::vector<std::string>> by_incarnation;
  for (const auto& [address, report] : reports) {
    by_incarnation[report->incarnation].push_back(address);
  }
  for (const auto& [unused, addresses] : by_incarnation) {
    if (addresses.size() == 1) continue;
    return {Level::kWarn, "list",
            absl::StrCat(NamedList(addresses), " are the same server"),
            "name each server once: it is asked for twice its share"};
  }
  return {Level::kOk, "list",
          absl::StrCat(reports.size(), " different servers answer"), ""};
}

// Addresses of servers, by what these have in common.
using Groups = std::map<std::string, std::vector<std::string>>;

// Groups servers by `of(report)`: one group when all agree.
template <typename Of>
Groups Group(const Reports& reports, Of of) {
  Groups groups;
  for (const auto& [address, report] : reports) {
    groups[of(*report)].push_back(address);
  }
  return groups;
}

std::string Show(const Groups& groups) {
  std::vector<std::string> parts;
  for (const auto& [said, addresses] : groups) {
    parts.push_back(absl::StrCat(said, " at ", NamedList(addresses)));
  }
  return absl::StrJoin(parts, " but ");
}

// Returns the groups, whose texts end with digests, with as many digits of
// those as a person compares, and more where the first ones do not tell them
// apart.
Groups WithShortDigests(const Groups& groups) {
  constexpr size_t kShown = 16;
  Groups shortened;
  for (size_t left_out = 2 * Sha256Digest().size() - kShown + 1;
       shortened.size() < groups.size();) {
    --left_out;
    shortened.clear();
    for (const auto& [said, addresses] : groups) {
      shortened[said.substr(0, said.size() - left_out)] = addresses;
    }
  }
  return shortened;
}

Check CheckGraph(const Reports& reports) {
  const Groups contents =
      WithShortDigests(Group(reports, [](const ServerReport& r) {
        return absl::StrCat(r.schema.name,
                            " content=", ToHex(r.schema.content_digest));
      }));
  if (contents.size() > 1) {
    return {Level::kFail, "graph", Show(contents),
            "serve copies of one graph folder everywhere"};
  }
  const Groups layouts =
      WithShortDigests(Group(reports, [](const ServerReport& r) {
        return absl::StrCat("layout=", ToHex(r.schema.layout_digest));
      }));
  if (layouts.size() > 1) {
    return {
        Level::kFail, "graph",
        absl::StrCat("one graph in different partitionings: ", Show(layouts)),
        "serve copies of one partitioned folder everywhere"};
  }
  return {Level::kOk, "graph",
          absl::StrCat(contents.begin()->first, " ", layouts.begin()->first),
          ""};
}

Check CheckVersions(const Reports& reports) {
  const auto versions = Group(reports, [](const ServerReport& r) {
    return absl::StrCat("wire ", r.wire_version, " semantics ",
                        r.schema.semantics_version);
  });
  Check check{Level::kOk, "versions", Show(versions), ""};
  for (const auto& [unused, report] : reports) {
    if (CheckWireVersion(report->wire_version).ok() &&
        report->schema.semantics_version == kSemanticsVersion) {
      continue;
    }
    check.level = Level::kFail;
    check.remedy = absl::StrCat("this program speaks wire ", kWireVersion,
                                " and semantics ", kSemanticsVersion,
                                ": run one release everywhere");
    return check;
  }
  return check;
}

Check CheckPartitions(const Reports& reports) {
  uint32_t num_partitions = 0;
  std::map<uint32_t, int> owners;
  for (const auto& [unused, report] : reports) {
    num_partitions = std::max(num_partitions, report->schema.num_partitions);
    for (const uint32_t p : report->partitions) ++owners[p];
  }
  std::vector<uint32_t> missing;
  std::vector<std::string> counts;
  for (uint32_t p = 0; p < num_partitions; ++p) {
    if (!owners.contains(p)) missing.push_back(p);
    counts.push_back(absl::StrCat(p, "x", owners.contains(p) ? owners[p] : 0));
  }
  Check check{Level::kOk, "partitions",
              absl::StrCat("owners: ", NamedList(counts)), ""};
  if (missing.empty()) return check;
  check.level = Level::kFail;
  absl::StrAppend(&check.detail, "; no owner of ", NamedList(missing));
  check.remedy = absl::StrCat("start `tributary serve --partitions ",
                              absl::StrJoin(missing, ","), "`");
  return check;
}

Check CheckDraining(const Reports& reports) {
  std::vector<std::string> draining;
  for (const auto& [address, report] : reports) {
    if (report->draining) draining.push_back(address);
  }
  if (draining.empty()) {
    return {Level::kOk, "draining", "no server is", ""};
  }
  if (draining.size() == reports.size()) {
    return {Level::kFail, "draining", "all servers: none takes batches",
            "start servers in their place"};
  }
  return {Level::kWarn, "draining", NamedList(draining),
          "they take no new batches and will end: have others that own their "
          "partitions"};
}

std::string NameOf(const GraphSchema& schema) {
  return VersionedName(schema.name, schema.content_digest);
}

// Checks, where servers hold several graphs, that all hold this one.
Check CheckHolders(const Reports& reports, const Reports& all) {
  std::vector<std::string> others;
  for (const auto& [address, unused] : all) {
    if (!reports.contains(address)) others.push_back(address);
  }
  const GraphSchema& schema = reports.begin()->second->schema;
  Check check{Level::kOk, "graph",
              absl::StrCat(NameOf(schema), " layout=",
                           ToHex(schema.layout_digest).substr(0, 16)),
              ""};
  if (others.empty()) return check;
  check.level = Level::kWarn;
  absl::StrAppend(&check.detail, " is not at ", NamedList(others));
  check.remedy =
      "serve the same graphs everywhere, or let servers finish "
      "reading their lists";
  return check;
}

// Returns the reports of each graph, by layout, in the order in which graphs
// first occur in `answers`.
std::vector<Reports> ByGraph(const std::vector<ServerAnswer>& answers) {
  std::vector<Reports> graphs;
  std::map<Sha256Digest, size_t> found;
  for (const ServerAnswer& answer : answers) {
    if (!answer.reports.ok()) continue;
    for (const ServerReport& report : *answer.reports) {
      const auto [it, added] =
          found.emplace(report.schema.layout_digest, graphs.size());
      if (added) graphs.emplace_back();
      graphs[it->second][answer.address.ToString()] = &report;
    }
  }
  return graphs;
}

void CheckOwners(const Reports& reports,
                 const std::vector<ServerAnswer>& answers,
                 std::vector<Check>* checks) {
  checks->push_back(CheckPartitions(reports));
  for (const auto& [address, report] : reports) {
    checks->push_back(CheckPeers(address, *report, answers));
  }
}

// As CheckDraining(), but a version of a graph that every server is retiring is
// a warning: other versions go on.
Check CheckRetiring(const Reports& reports) {
  Check check = CheckDraining(reports);
  if (check.level != Level::kFail) return check;
  return {Level::kWarn, check.what, "at all servers: none takes batches of it",
          "name another version (--graph-name)"};
}

void CheckEachGraph(const std::vector<Reports>& graphs, const Reports& all,
                    const std::vector<ServerAnswer>& answers,
                    std::vector<Check>* checks) {
  for (const Reports& reports : graphs) {
    checks->push_back(CheckHolders(reports, all));
    const size_t own = checks->size();
    checks->push_back(CheckRetiring(reports));
    CheckOwners(reports, answers, checks);
    const GraphSchema& schema = reports.begin()->second->schema;
    for (size_t i = own; i < checks->size(); ++i) {
      absl::StrAppend(&(*checks)[i].what, " (", NameOf(schema), ")");
    }
  }
}

}  // namespace

std::vector<Check> CheckFleet(const std::vector<ServerAnswer>& answers) {
  std::vector<Check> checks;
  Reports all;
  bool several = false;
  for (const ServerAnswer& answer : answers) {
    checks.push_back(CheckServer(answer));
    if (!answer.reports.ok()) continue;
    all[answer.address.ToString()] = &answer.reports->front();
    several |= answer.reports->size() > 1;
  }
  if (all.empty()) return checks;
  checks.push_back(CheckDoubles(all));
  checks.push_back(CheckVersions(all));
  checks.push_back(CheckTransport(answers));
  if (several) {
    CheckEachGraph(ByGraph(answers), all, answers, &checks);
    return checks;
  }
  checks.push_back(CheckGraph(all));
  const bool one_layout = checks.back().level == Level::kOk;
  checks.push_back(CheckDraining(all));
  // Owners can be compared within one layout only.
  if (one_layout) CheckOwners(all, answers, &checks);
  return checks;
}

}  // namespace tributary
