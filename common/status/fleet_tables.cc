#include "common/status/fleet_tables.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/status/partition_runs.h"
#include "common/status/status_units.h"
#include "common/text/named_list.h"

namespace tributary {
namespace {

constexpr char kUnknown[] = "-";

std::string MoreOf(size_t count, size_t limit) {
  return count > limit ? absl::StrCat("and ", count - limit, " more") : "";
}

std::string StateText(FleetStatus::State state) {
  switch (state) {
    case FleetStatus::State::kSilent:
      return "silent";
    case FleetStatus::State::kDraining:
      return "draining";
    case FleetStatus::State::kReady:
      break;
  }
  return "ready";
}

std::vector<std::string> ServerCells(const FleetStatus::Server& s) {
  if (!s.has_figures) {
    std::vector<std::string> cells(10, kUnknown);
    cells[0] = s.address;
    cells[1] = StateText(s.state);
    cells[9] = s.problem.empty() ? "tells no figures" : s.problem;
    return cells;
  }
  return {
      s.address,
      StateText(s.state),
      PercentText(s.busy_permille, 1000),
      PercentText(s.memory_used_bytes, s.memory_budget_bytes),
      absl::StrCat(s.queued),
      RateText(s.batches_per_s),
      RateText(1e-6 * s.bytes_per_s),
      SecondsText(s.uptime_s),
      s.memory_budget_bytes == 0 ? kUnknown : MemoryText(s.memory_budget_bytes),
      absl::StrCat("release ", s.version, "; streams: ", s.streams,
                   ", over TCP: ", s.tcp_streams)};
}

std::string OwnersText(const std::vector<std::string>& owners, size_t most) {
  return owners.empty() ? "none" : NamedList(owners, most);
}

std::vector<std::string> JobCells(const FleetStatus::Job& job) {
  std::string stage = kUnknown;
  if (const uint64_t total = job.total_us(); total > 0) {
    const size_t slowest = job.slowest_of_all_stages();
    stage = absl::StrCat(StageName(slowest), " ",
                         PercentText(job.stage_us[slowest], total));
  }
  std::string batch = kUnknown;
  if (job.slowest_us > 0) {
    batch = absl::StrCat(job.slowest_epoch, ":", job.slowest_index, " ",
                         MicrosText(job.slowest_us));
  }
  std::string where = kUnknown;
  if (job.slowest_us > 0) {
    where =
        absl::StrCat(StageName(job.slowest_stage), " on ", job.slowest_server);
  }
  return {job.name,
          RateText(job.batches_per_s),
          RateText(1e-6 * job.bytes_per_s),
          absl::StrCat(job.queued),
          job.wait_known ? PercentText(job.wait_permille, 1000) : kUnknown,
          absl::StrCat(job.failed),
          stage,
          batch,
          where};
}

std::string Counted(size_t count, const char* one, const char* several) {
  return absl::StrCat(count, " ", count == 1 ? one : several);
}

}  // namespace

StatusTable ServerTable(const FleetStatus& fleet, const TableLimits& limits) {
  StatusTable table;
  table.title = "Servers";
  table.columns = {
      {"Server"},           {"State"},        {"Busy", true},
      {"Memory", true},     {"Queued", true}, {"Batches/s", true},
      {"MB/s", true},       {"Up", true},     {"Budget", true, true},
      {"Note", false, true}};
  for (const FleetStatus::Server& server : fleet.servers) {
    if (table.rows.size() == limits.rows) break;
    table.rows.push_back(ServerCells(server));
  }
  table.more = MoreOf(fleet.servers.size(), limits.rows);
  return table;
}

StatusTable PartitionTable(const FleetStatus& fleet,
                           const TableLimits& limits) {
  StatusTable table;
  table.title = "Partitions";
  table.columns = {{"Graph", false, false, true},
                   {"Partitions", false, false, true},
                   {"Count", true},
                   {"Owners", false, false, true}};
  for (const FleetStatus::Partitions& row : fleet.partitions) {
    if (table.rows.size() == limits.rows) break;
    table.rows.push_back({row.graph,
                          RunsText(RunsOf(row.partitions), limits.runs),
                          absl::StrCat(row.partitions.size()),
                          OwnersText(row.owners, limits.owners)});
  }
  table.more = MoreOf(fleet.partitions.size(), limits.rows);
  return table;
}

StatusTable JobTable(const FleetStatus& fleet, const TableLimits& limits) {
  StatusTable table;
  table.title = "Jobs";
  table.columns = {{"Job", false, false, true},
                   {"Batches/s", true},
                   {"MB/s", true},
                   {"Queued", true},
                   {"Waits", true},
                   {"Failed", true},
                   {"Slowest stage"},
                   {"Slowest batch"},
                   {"Its slowest stage", false, true}};
  for (const FleetStatus::Job& job : fleet.jobs) {
    if (table.rows.size() == limits.rows) break;
    table.rows.push_back(JobCells(job));
  }
  table.more = MoreOf(fleet.jobs.size(), limits.rows);
  return table;
}

std::string SummaryOf(const FleetStatus& fleet) {
  const std::string troubles =
      Counted(fleet.troubles.size(), "trouble", "troubles");
  if (!fleet.only_job.empty()) {
    return absl::StrCat("job ", fleet.only_job, ", ", troubles);
  }
  std::string text = Counted(fleet.servers.size(), "server", "servers");
  if (fleet.num_silent > 0) {
    absl::StrAppend(&text, " (", fleet.num_silent, " silent)");
  }
  absl::StrAppend(&text, ", ",
                  Counted(fleet.num_partitions, "partition", "partitions"));
  if (fleet.num_unowned > 0) {
    absl::StrAppend(&text, " (", fleet.num_unowned, " without an owner)");
  }
  return absl::StrCat(text, ", ", Counted(fleet.jobs.size(), "job", "jobs"),
                      ", ", troubles);
}

}  // namespace tributary
