#include "sampler_server/service/status/server_status.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "common/status/partition_runs.h"
#include "common/text/version.h"
#include "common/trace/trace_fields.h"
#include "sampler_server/service/status/trouble_checks.h"

namespace tributary {
namespace {

// Of one graph; see status.proto.
constexpr int kMaxRuns = 4096;

uint32_t Permille(double ratio) {
  return static_cast<uint32_t>(std::lround(1000 * std::clamp(ratio, 0.0, 1.0)));
}

// The rows of jobs. Decides which jobs have one of their own.
class JobRows {
 public:
  explicit JobRows(const JobWeights& weights) : weights_(weights) {}

  v1::JobStatus& RowOf(const std::string& job) {
    const auto found = rows_.find(job);
    if (found != rows_.end()) return found->second;
    const bool own = job == JobActivity::kOthers || weights_.Lists(job) ||
                     unlisted_ < JobActivity::kMaxUnlisted;
    if (!own) return RowOf(JobActivity::kOthers);
    if (job != JobActivity::kOthers && !weights_.Lists(job)) ++unlisted_;
    v1::JobStatus& row = rows_[job];
    row.set_name(job);
    return row;
  }
  std::vector<v1::JobStatus> Take() {
    std::vector<v1::JobStatus> rows;
    for (auto& [name, row] : rows_) rows.push_back(std::move(row));
    return rows;
  }

 private:
  const JobWeights& weights_;
  std::map<std::string, v1::JobStatus> rows_;
  size_t unlisted_ = 0;  // of rows_
};

void AddFigures(const JobFigures& figures, v1::JobStatus& row) {
  const double seconds = absl::ToDoubleSeconds(figures.covered);
  row.set_batches_per_s(static_cast<double>(figures.batches) / seconds);
  row.set_bytes_per_s(static_cast<double>(figures.bytes) / seconds);
  for (const absl::Duration time : figures.times) {
    row.add_stage_us(TraceMicros(time));
  }
  row.set_failed(figures.failed);
  const TimesByStage& slowest = figures.slowest.times;
  if (TraceMicros(Total(slowest)) == 0) return;
  row.set_slowest_epoch(figures.slowest.epoch);
  row.set_slowest_index(figures.slowest.index);
  row.set_slowest_us(TraceMicros(Total(slowest)));
  row.set_slowest_stage(static_cast<uint32_t>(
      std::max_element(slowest.begin(), slowest.end()) - slowest.begin()));
}

// Adds `from` to `to`, which is of several jobs.
void Join(const v1::JobStatus& from, v1::JobStatus& to) {
  to.set_batches_per_s(to.batches_per_s() + from.batches_per_s());
  to.set_bytes_per_s(to.bytes_per_s() + from.bytes_per_s());
  to.set_queued(to.queued() + from.queued());
  to.set_failed(to.failed() + from.failed());
  to.set_wait_known(to.wait_known() || from.wait_known());
  to.set_wait_permille(std::max(to.wait_permille(), from.wait_permille()));
  for (int stage = 0; stage < from.stage_us_size(); ++stage) {
    if (stage >= to.stage_us_size()) to.add_stage_us(0);
    to.set_stage_us(stage, to.stage_us(stage) + from.stage_us(stage));
  }
  if (from.slowest_us() <= to.slowest_us()) return;
  to.set_slowest_epoch(from.slowest_epoch());
  to.set_slowest_index(from.slowest_index());
  to.set_slowest_us(from.slowest_us());
  to.set_slowest_stage(from.slowest_stage());
}

// Leaves at most kMaxStatusJobs.
void JoinLeastBusy(std::vector<v1::JobStatus>& rows) {
  if (rows.size() <= kMaxStatusJobs) return;
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    const bool a_others = a.name() == JobActivity::kOthers;
    const bool b_others = b.name() == JobActivity::kOthers;
    if (a_others != b_others) return b_others;
    return a.bytes_per_s() > b.bytes_per_s();
  });
  v1::JobStatus others;
  others.set_name(JobActivity::kOthers);
  for (size_t i = kMaxStatusJobs - 1; i < rows.size(); ++i) {
    Join(rows[i], others);
  }
  rows.resize(kMaxStatusJobs - 1);
  rows.push_back(std::move(others));
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.name() < b.name(); });
}

// Sets what everybody may know.
v1::ServerStatus CommonStatus(const StatusInput& input) {
  v1::ServerStatus status;
  status.set_version(kVersion);
  status.set_uptime_s(
      static_cast<uint64_t>(absl::ToInt64Seconds(input.uptime)));
  status.set_draining(input.draining);
  status.set_busy_permille(Permille(input.busy_ratio));
  for (const GraphFacts& graph : input.graphs) {
    v1::GraphStatus& told = *status.add_graphs();
    told.set_name(graph.name);
    told.set_layout_digest(graph.layout_digest);
    told.set_num_partitions(graph.num_partitions);
    told.set_retiring(graph.retiring || !graph.damage.empty());
    for (const PartitionSpan& run : RunsOf(graph.owned)) {
      if (told.owned_runs_size() == 2 * kMaxRuns) break;
      told.add_owned_runs(run.first);
      told.add_owned_runs(run.last);
    }
  }
  return status;
}

}  // namespace

std::vector<v1::JobStatus> MakeJobStatus(const StatusInput& input) {
  JobRows rows(input.weights);
  for (const JobFigures& figures : input.activity) {
    AddFigures(figures, rows.RowOf(figures.job));
  }
  for (const JobState& queue : input.queues) {
    v1::JobStatus& row = rows.RowOf(queue.name);
    row.set_queued(row.queued() + static_cast<uint32_t>(queue.waiting));
  }
  for (const auto& [job, ratio] : input.waits) {
    v1::JobStatus& row = rows.RowOf(job);
    row.set_wait_known(true);
    row.set_wait_permille(std::max(row.wait_permille(), Permille(ratio)));
  }
  std::vector<v1::JobStatus> jobs = rows.Take();
  JoinLeastBusy(jobs);
  return jobs;
}

v1::ServerStatus MakeServerStatus(const StatusInput& input) {
  v1::ServerStatus status = CommonStatus(input);
  status.set_memory_used_bytes(input.memory_used);
  status.set_memory_budget_bytes(input.memory_budget);
  status.set_queued(static_cast<uint32_t>(input.queued));
  status.set_active(static_cast<uint32_t>(input.active));
  status.set_streams(static_cast<uint32_t>(input.facts.streams));
  status.set_tcp_streams(static_cast<uint32_t>(input.facts.tcp_streams));
  for (v1::JobStatus& job : MakeJobStatus(input)) {
    *status.add_jobs() = std::move(job);
  }
  for (v1::Trouble& trouble : FindTroubles(input)) {
    *status.add_troubles() = std::move(trouble);
  }
  return status;
}

v1::ServerStatus MakeTrainerStatus(const StatusInput& input,
                                   const std::string& job) {
  StatusInput own = input;
  const auto of_others = [&job](const auto& it) { return it.job != job; };
  std::erase_if(own.activity, of_others);
  std::erase_if(own.queues, [&job](const auto& q) { return q.name != job; });
  std::erase_if(own.waits, [&job](const auto& w) { return w.first != job; });
  v1::ServerStatus status = CommonStatus(own);
  for (v1::JobStatus& row : MakeJobStatus(own)) {
    *status.add_jobs() = std::move(row);
  }
  for (v1::Trouble& trouble : FindTrainersTroubles(own)) {
    *status.add_troubles() = std::move(trouble);
  }
  return status;
}

}  // namespace tributary
