#include "common/status/fleet_status.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/status/trouble_advice.h"
#include "common/status/trouble_text.h"
#include "common/text/fit_text.h"

namespace tributary {
namespace {

// No graph has more: node_parts hold 2 bytes a node. A reply that says more is
// not believed, since a list of that length is made here.
constexpr uint32_t kMaxPartitions = 1 << 16;
// Of all graphs that servers name, for the same reason.
constexpr size_t kMaxPartitionsOfAll = size_t{1} << 18;

FleetStatus::State StateOf(const ServerView& view) {
  if (!view.answer.ok()) return FleetStatus::State::kSilent;
  if (view.status && view.status->draining()) {
    return FleetStatus::State::kDraining;
  }
  return FleetStatus::State::kReady;
}

FleetStatus::Server ServerOf(const ServerView& view) {
  FleetStatus::Server server;
  server.address = view.address;
  server.state = StateOf(view);
  if (!view.answer.ok())
    server.problem = FitText(view.answer.ToString(), kMaxTroubleBytes);
  if (!view.answer.ok() || !view.status) return server;
  const v1::ServerStatus& status = *view.status;
  server.has_figures = true;
  server.version = status.version();
  server.uptime_s = status.uptime_s();
  server.busy_permille = std::min(status.busy_permille(), 1000u);
  server.memory_used_bytes = status.memory_used_bytes();
  server.memory_budget_bytes = status.memory_budget_bytes();
  server.queued = status.queued();
  server.streams = status.streams();
  server.tcp_streams = status.tcp_streams();
  for (const v1::JobStatus& job : status.jobs()) {
    server.batches_per_s += job.batches_per_s();
    server.bytes_per_s += job.bytes_per_s();
  }
  return server;
}

// The owners of each partition of one partitioning of a graph.
struct OwnedGraph {
  std::string name;
  std::vector<std::vector<uint32_t>> owners;  // by partition: their places
};
using GraphKey = std::pair<std::string, std::string>;  // name, layout

// Returns the graph with room for its partitions; null if there are too many.
OwnedGraph* GraphOf(const v1::GraphStatus& told, size_t* partitions,
                    std::map<GraphKey, OwnedGraph>& graphs) {
  const GraphKey key{told.name(), told.layout_digest()};
  const auto found = graphs.find(key);
  const size_t had = found == graphs.end() ? 0 : found->second.owners.size();
  const size_t wanted =
      std::max<size_t>(had, std::min(told.num_partitions(), kMaxPartitions));
  if (*partitions + wanted - had > kMaxPartitionsOfAll) return nullptr;
  *partitions += wanted - had;
  OwnedGraph& graph = graphs[key];
  graph.name = told.name();
  graph.owners.resize(wanted);
  return &graph;
}

void AddOwner(const v1::GraphStatus& told, bool owns, uint32_t place,
              size_t* partitions, std::map<GraphKey, OwnedGraph>& graphs) {
  OwnedGraph* const of = GraphOf(told, partitions, graphs);
  if (of == nullptr || !owns || told.retiring()) return;
  OwnedGraph& graph = *of;
  for (int i = 0; i + 1 < told.owned_runs_size(); i += 2) {
    const uint64_t end = std::min<uint64_t>(
        uint64_t{told.owned_runs(i + 1)} + 1, graph.owners.size());
    for (uint64_t p = told.owned_runs(i); p < end; ++p) {
      auto& owners = graph.owners[p];
      if (owners.empty() || owners.back() != place) owners.push_back(place);
    }
  }
}

std::map<GraphKey, OwnedGraph> OwnedGraphs(
    const std::vector<ServerView>& servers) {
  std::map<GraphKey, OwnedGraph> graphs;
  size_t partitions = 0;
  for (uint32_t place = 0; place < servers.size(); ++place) {
    const ServerView& view = servers[place];
    const bool owns = StateOf(view) == FleetStatus::State::kReady;
    const bool told = view.answer.ok() && view.status;
    if (told) {
      for (const auto& graph : view.status->graphs()) {
        AddOwner(graph, owns, place, &partitions, graphs);
      }
      continue;
    }
    for (const auto& graph : view.graphs) {
      AddOwner(graph, owns, place, &partitions, graphs);
    }
  }
  return graphs;
}

// Whether all that answer say what they own, so that the others own nothing.
bool AllOwnersAreKnown(const std::vector<ServerView>& servers) {
  return std::none_of(
      servers.begin(), servers.end(), [](const ServerView& view) {
        return view.answer.ok() && !view.status && view.graphs.empty();
      });
}

void AddPartitions(const std::vector<ServerView>& servers, FleetStatus& fleet) {
  const bool known = AllOwnersAreKnown(servers);
  for (const auto& [key, graph] : OwnedGraphs(servers)) {
    std::map<std::vector<uint32_t>, std::vector<uint32_t>> by_owners;
    for (uint32_t p = 0; p < graph.owners.size(); ++p) {
      by_owners[graph.owners[p]].push_back(p);
    }
    fleet.num_partitions += graph.owners.size();
    for (auto& [owners, partitions] : by_owners) {
      if (owners.empty() && known) {
        fleet.num_unowned += partitions.size();
        fleet.troubles.push_back(
            {std::string(kNoOwner),
             FitText(NoOwnerText(graph.name, partitions, graph.owners.size()),
                     kMaxTroubleBytes),
             0,
             {}});
      }
      FleetStatus::Partitions row{graph.name, std::move(partitions), {}};
      for (const uint32_t place : owners) {
        row.owners.push_back(servers[place].address);
      }
      if (owners.empty() && !known) row.owners.push_back("not known");
      fleet.partitions.push_back(std::move(row));
    }
  }
  std::stable_sort(fleet.partitions.begin(), fleet.partitions.end(),
                   [](const auto& a, const auto& b) {
                     if (a.owners.empty() != b.owners.empty()) {
                       return a.owners.empty();
                     }
                     return std::tie(a.graph, a.partitions) <
                            std::tie(b.graph, b.partitions);
                   });
}

void AddJob(const v1::JobStatus& told, const std::string& server,
            FleetStatus::Job& job) {
  job.name = told.name();
  job.batches_per_s += told.batches_per_s();
  job.bytes_per_s += told.bytes_per_s();
  job.queued += told.queued();
  job.failed += told.failed();
  job.wait_known |= told.wait_known();
  job.wait_permille = std::max(job.wait_permille,
                               std::min(told.wait_permille(), uint32_t{1000}));
  for (size_t stage = 0; stage < job.stage_us.size() &&
                         stage < static_cast<size_t>(told.stage_us_size());
       ++stage) {
    job.stage_us[stage] += told.stage_us(static_cast<int>(stage));
  }
  if (told.slowest_us() <= job.slowest_us) return;
  job.slowest_us = told.slowest_us();
  job.slowest_epoch = told.slowest_epoch();
  job.slowest_index = told.slowest_index();
  job.slowest_stage = told.slowest_stage();
  job.slowest_server = server;
}

void AddJobs(const std::vector<ServerView>& servers, FleetStatus& fleet) {
  std::map<std::string, FleetStatus::Job> jobs;
  for (const ServerView& view : servers) {
    if (!view.answer.ok() || !view.status) continue;
    for (const v1::JobStatus& told : view.status->jobs()) {
      AddJob(told, view.address, jobs[told.name()]);
    }
  }
  for (auto& [name, job] : jobs) fleet.jobs.push_back(std::move(job));
  std::stable_sort(fleet.jobs.begin(), fleet.jobs.end(),
                   [](const auto& a, const auto& b) {
                     return a.bytes_per_s > b.bytes_per_s;
                   });
}

void AddTroubles(const std::vector<ServerView>& servers, FleetStatus& fleet) {
  std::vector<std::string> silent;
  std::vector<std::string> untold;
  for (const ServerView& view : servers) {
    if (!view.answer.ok()) {
      silent.push_back(view.address);
    } else if (!view.status && view.just_asked) {
      continue;
    } else if (!view.status) {
      untold.push_back(view.address);
    } else {
      for (const v1::Trouble& t : view.status->troubles()) {
        fleet.troubles.push_back({t.code(),
                                  FitText(t.text(), kMaxTroubleBytes),
                                  t.count(),
                                  {view.address}});
      }
    }
  }
  fleet.num_silent = silent.size();
  if (!silent.empty()) {
    fleet.troubles.push_back({std::string(kServerSilent),
                              FitText(SilentText(silent), kMaxTroubleBytes),
                              0,
                              {}});
  }
  if (!untold.empty()) {
    fleet.troubles.push_back(
        {std::string(kNoStatus),
         FitText(absl::StrCat(untold.size(), " servers tell no figures: ",
                              absl::StrJoin(untold, ", ")),
                 kMaxTroubleBytes),
         0,
         {}});
  }
}

// Joins troubles of the same code and text, and puts the worst first.
void JoinTroubles(std::vector<FleetStatus::Trouble>& troubles) {
  std::map<std::tuple<size_t, std::string, std::string>, FleetStatus::Trouble>
      joined;
  for (FleetStatus::Trouble& trouble : troubles) {
    FleetStatus::Trouble& one =
        joined[{TroubleRank(trouble.code), trouble.code, trouble.text}];
    one.code = trouble.code;
    one.text = trouble.text;
    one.count += trouble.count;
    one.servers.insert(one.servers.end(), trouble.servers.begin(),
                       trouble.servers.end());
  }
  troubles.clear();
  for (auto& [key, trouble] : joined) troubles.push_back(std::move(trouble));
}

}  // namespace

uint64_t FleetStatus::Job::total_us() const {
  uint64_t total = 0;
  for (const uint64_t us : stage_us) total += us;
  return total;
}

size_t FleetStatus::Job::slowest_of_all_stages() const {
  return static_cast<size_t>(
      std::max_element(stage_us.begin(), stage_us.end()) - stage_us.begin());
}

FleetStatus MakeFleetStatus(absl::Time at, std::string told_by,
                            const std::vector<ServerView>& servers) {
  FleetStatus fleet;
  fleet.at = at;
  fleet.told_by = std::move(told_by);
  for (const ServerView& view : servers) {
    fleet.servers.push_back(ServerOf(view));
  }
  std::stable_sort(fleet.servers.begin(), fleet.servers.end(),
                   [](const auto& a, const auto& b) {
                     if (a.state != b.state) return a.state < b.state;
                     return std::tie(b.busy_permille, a.address) <
                            std::tie(a.busy_permille, b.address);
                   });
  AddPartitions(servers, fleet);
  AddJobs(servers, fleet);
  AddTroubles(servers, fleet);
  JoinTroubles(fleet.troubles);
  return fleet;
}

FleetStatus OnlyJob(FleetStatus fleet, const std::string& job,
                    const v1::ServerStatus& own) {
  fleet.only_job = job;
  fleet.servers.clear();
  fleet.partitions.clear();
  fleet.troubles.clear();
  std::erase_if(fleet.jobs,
                [&job](const FleetStatus::Job& j) { return j.name != job; });
  for (const v1::Trouble& trouble : own.troubles()) {
    fleet.troubles.push_back({trouble.code(),
                              FitText(trouble.text(), kMaxTroubleBytes),
                              trouble.count(),
                              {}});
  }
  JoinTroubles(fleet.troubles);
  return fleet;
}

}  // namespace tributary
