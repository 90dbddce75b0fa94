#include "cli/fleet/fleet_checks.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "channel/envelope.h"
#include "common/fleet/graph_name.h"
#include "common/random/hop_key.h"

namespace tributary {
namespace {

using Level = Check::Level;

// Within one site calls take well under a millisecond.
constexpr absl::Duration kSlowRoundTrip = absl::Milliseconds(20);
constexpr size_t kMaxNamed = 8;  // partitions or servers in one line

// Of one graph, or of each server's first, by address.
using Reports = std::map<std::string, const ServerReport*>;

std::string Milliseconds(absl::Duration d) {
  return absl::StrCat(absl::ToDoubleMilliseconds(d), " ms");
}

template <typename Names>
std::string Some(const Names& names) {
  if (names.size() <= kMaxNamed) return absl::StrJoin(names, ", ");
  std::vector<std::string> first;
  for (const auto& name : names) {
    if (first.size() < kMaxNamed) first.push_back(absl::StrCat(name));
  }
  return absl::StrCat(absl::StrJoin(first, ", "), " and ",
                      names.size() - kMaxNamed, " more");
}

std::string RemedyOf(const absl::Status& status, const std::string& address) {
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return absl::StrCat("start `tributary serve --listen ", address,
                          "`, or take it from the list; if it runs, let this "
                          "machine reach that port");
    case absl::StatusCode::kDeadlineExceeded:
      return "look for a firewall that drops packets or a frozen process; "
             "--timeout waits longer";
    case absl::StatusCode::kNotFound:
      return "add the graph's folder to the --graph of `tributary serve` there";
    case absl::StatusCode::kFailedPrecondition:
      return "run the same release of tributary on both ends";
    default:
      return "see whether something else than `tributary serve` listens there";
  }
}

Check CheckServer(const ServerAnswer& answer) {
  const std::string address = answer.address.ToString();
  Check check{Level::kOk, absl::StrCat("server ", address), "answers", ""};
  if (!answer.reports.ok()) {
    check.level = Level::kFail;
    check.detail = answer.reports.status().ToString();
    check.remedy = RemedyOf(answer.reports.status(), address);
    return check;
  }
  if (!answer.round_trip.has_value()) return check;
  check.detail =
      absl::StrCat("answers, round trip ", Milliseconds(*answer.round_trip));
  if (*answer.round_trip > kSlowRoundTrip) {
    check.level = Level::kWarn;
    check.remedy = absl::StrCat("above ", Milliseconds(kSlowRoundTrip),
                                ": place trainers and servers on one site, or "
                                "raise prefetch_size");
  }
  return check;
}

// Two addresses of one process, by its incarnation.
Check CheckDoubles(const Reports& reports) {
  std::map<uint64_t, std::vector<std::string>> by_incarnation;
  for (const auto& [address, report] : reports) {
    by_incarnation[report->incarnation].push_back(address);
  }
  for (const auto& [unused, addresses] : by_incarnation) {
    if (addresses.size() == 1) continue;
    return {Level::kWarn, "list",
            absl::StrCat(Some(addresses), " are the same server"),
            "name each server once: it is asked for twice its share"};
  }
  return {Level::kOk, "list",
          absl::StrCat(reports.size(), " different servers answer"), ""};
}

// Which servers say what; one entry when all agree.
template <typename Of>
std::map<std::string, std::vector<std::string>> Group(const Reports& reports,
                                                      Of of) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& [address, report] : reports) {
    groups[of(*report)].push_back(address);
  }
  return groups;
}

std::string Show(
    const std::map<std::string, std::vector<std::string>>& groups) {
  std::vector<std::string> parts;
  for (const auto& [said, addresses] : groups) {
    parts.push_back(absl::StrCat(said, " at ", Some(addresses)));
  }
  return absl::StrJoin(parts, " but ");
}

Check CheckGraph(const Reports& reports) {
  const auto contents = Group(reports, [](const ServerReport& r) {
    return absl::StrCat(r.schema.name, " content=",
                        ToHex(r.schema.content_digest).substr(0, 16));
  });
  if (contents.size() > 1) {
    return {Level::kFail, "graph", Show(contents),
            "serve copies of one graph folder everywhere"};
  }
  const auto layouts = Group(reports, [](const ServerReport& r) {
    return absl::StrCat("layout=", ToHex(r.schema.layout_digest).substr(0, 16));
  });
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
    check.remedy = absl::StrCat(
        "this program speaks wire ", kWireVersion, " and semantics ",
        kSemanticsVersion, ": run one release everywhere");
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
  Check check{Level::kOk, "partitions", absl::StrCat("owners: ", Some(counts)),
              ""};
  if (missing.empty()) return check;
  check.level = Level::kFail;
  absl::StrAppend(&check.detail, "; nobody owns ", Some(missing));
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
  return {Level::kWarn, "draining", Some(draining),
          "they take no new batches and will end: have others that own their "
          "partitions"};
}

std::string NameOf(const GraphSchema& schema) {
  return VersionedName(schema.name, schema.content_digest);
}

// The graph, where servers hold several: whether all hold it.
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
  absl::StrAppend(&check.detail, " is not at ", Some(others));
  check.remedy =
      "serve the same graphs everywhere, or let servers finish "
      "reading their lists";
  return check;
}

// What one server says of the others.
struct PeerView {
  std::set<uint32_t> unreachable;  // partitions
  std::vector<std::string> silent;
  std::vector<std::string> unknown;
  int healthy = 0;
};

PeerView Look(const std::string& self, const ServerReport& report,
              const std::vector<ServerAnswer>& answers) {
  PeerView view;
  std::map<std::string, bool> known;
  for (uint32_t p = 0; p < report.schema.num_partitions; ++p) {
    view.unreachable.insert(p);
  }
  for (const uint32_t p : report.partitions) view.unreachable.erase(p);
  for (const PeerReport& peer : report.peers) {
    known[peer.address] = peer.healthy;
    if (!peer.healthy) continue;
    for (const uint32_t p : peer.partitions) view.unreachable.erase(p);
  }
  for (const ServerAnswer& other : answers) {
    const std::string address = other.address.ToString();
    const bool is_self =
        address == self ||
        (other.reports.ok() &&
         other.reports->front().incarnation == report.incarnation);
    if (is_self) continue;
    const auto found = known.find(address);
    if (found == known.end()) {
      view.unknown.push_back(address);
    } else if (!found->second) {
      view.silent.push_back(address);
    } else {
      ++view.healthy;
    }
  }
  return view;
}

Check CheckPeers(const std::string& self, const ServerReport& report,
                 const std::vector<ServerAnswer>& answers) {
  Check check{Level::kOk, absl::StrCat("peers of ", self), "", ""};
  if (report.partitions.size() >= report.schema.num_partitions) {
    check.detail = "it owns every partition and needs none";
    return check;
  }
  const PeerView view = Look(self, report, answers);
  check.detail = absl::StrCat(view.healthy, " healthy");
  if (!view.silent.empty()) {
    absl::StrAppend(&check.detail, ", cannot reach ", Some(view.silent));
    check.remedy = "let these machines reach each other's ports";
  }
  if (!view.unknown.empty()) {
    absl::StrAppend(&check.detail, ", not told of ", Some(view.unknown));
    check.remedy = absl::StrCat(
        "start it with the whole list, as written here, as --peers",
        check.remedy.empty() ? "" : "; ", check.remedy);
  }
  if (!view.silent.empty() || !view.unknown.empty()) check.level = Level::kWarn;
  if (view.unreachable.empty()) return check;
  check.level = Level::kFail;
  absl::StrAppend(&check.detail, ", no healthy owner of ",
                  view.unreachable.size() == 1 ? "partition " : "partitions ",
                  Some(view.unreachable), " in its sight");
  if (check.remedy.empty()) check.remedy = "start an owner among its --peers";
  return check;
}

// Graphs by layout, in the order of the first server that holds each.
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

// A version that is being retired everywhere is as it should be.
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
  if (several) {
    CheckEachGraph(ByGraph(answers), all, answers, &checks);
    return checks;
  }
  checks.push_back(CheckGraph(all));
  const bool one_layout = checks.back().level == Level::kOk;
  checks.push_back(CheckDraining(all));
  // Partitions of different layouts have nothing in common but their numbers.
  if (one_layout) CheckOwners(all, answers, &checks);
  return checks;
}

}  // namespace tributary
