#include "sampler_server/jobs/job_metrics.h"

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

constexpr char kWaitName[] = "tributary_trainer_wait_ratio";
constexpr char kWaitHelp[] =
    "Share of the last minute that a job's trainers were blocked waiting for a "
    "batch: the largest of its ranks";

}  // namespace

void JobMetrics::SetRegistry(Metrics* metrics) {
  MutexLock lock(mutex_);
  metrics_ = metrics;
}

std::string JobMetrics::LabelOf(const std::string& job, bool listed) {
  if (listed || figures_.contains(job)) return job;
  if (unlisted_ >= kMaxUnlisted) return kOthers;
  ++unlisted_;
  return job;
}

JobMetrics::Figures& JobMetrics::FiguresOf(const std::string& label) {
  const auto [it, added] = figures_.try_emplace(label);
  if (added) {
    Figures& figures = it->second;
    const Metrics::Labels labels{{"job", label}};
    figures.credits = metrics_->AddCounter(
        "tributary_job_credits_total",
        "Batches that a job asked for and that were queued", labels);
    figures.delivered = metrics_->AddCounter(
        "tributary_job_batches_delivered_total",
        "Batches of a job that the network has taken whole", labels);
    figures.batches = metrics_->AddCounter("tributary_job_batches_total",
                                           "Batches made for a job", labels);
    figures.bytes = metrics_->AddCounter("tributary_job_batch_bytes_total",
                                         "Bytes of a job's batches", labels);
    figures.cpu_seconds =
        metrics_->AddCounter("tributary_job_cpu_seconds_total",
                             "CPU time of making a job's batches", labels);
    figures.data_cpu_seconds = metrics_->AddCounter(
        "tributary_job_data_cpu_seconds_total",
        "CPU time of a job's calls for mutable rows and reads of the graph",
        labels);
    figures.waiting =
        metrics_->AddGauge("tributary_job_credits_queued",
                           "A job's credits that wait for their turn", labels);
    figures.unread = metrics_->AddGauge(
        "tributary_job_unread_bytes",
        "Of a job's batches that are made and not yet taken", labels);
  }
  return it->second;
}

void JobMetrics::AddRequest(const std::string& job, bool listed) {
  MutexLock lock(mutex_);
  if (metrics_ != nullptr) FiguresOf(LabelOf(job, listed)).credits.Add();
}

void JobMetrics::AddDelivered(const std::string& job, bool listed) {
  MutexLock lock(mutex_);
  if (metrics_ != nullptr) FiguresOf(LabelOf(job, listed)).delivered.Add();
}

void JobMetrics::AddBatch(const std::string& job, bool listed,
                          const BatchCost& cost) {
  MutexLock lock(mutex_);
  if (metrics_ == nullptr) return;
  Figures& figures = FiguresOf(LabelOf(job, listed));
  if (cost.bytes > 0) figures.batches.Add();
  figures.bytes.Add(static_cast<double>(cost.bytes));
  figures.cpu_seconds.Add(absl::ToDoubleSeconds(cost.cpu));
}

void JobMetrics::AddDataCalls(const std::string& job, bool listed,
                              absl::Duration cost) {
  MutexLock lock(mutex_);
  if (metrics_ == nullptr) return;
  FiguresOf(LabelOf(job, listed))
      .data_cpu_seconds.Add(absl::ToDoubleSeconds(cost));
}

void JobMetrics::SetJobs(const std::vector<JobState>& jobs) {
  MutexLock lock(mutex_);
  if (metrics_ == nullptr) return;
  std::map<std::string, std::pair<size_t, size_t>> now;  // by label
  for (const JobState& job : jobs) {
    const std::string label = LabelOf(job.name, job.listed);
    FiguresOf(label);
    now[label].first += job.waiting;
    now[label].second += job.unread_bytes;
  }
  for (auto& [label, figures] : figures_) {
    const auto [waiting, unread] = now[label];
    figures.waiting.Set(static_cast<double>(waiting));
    figures.unread.Set(static_cast<double>(unread));
  }
}

void JobMetrics::SetWaits(const std::vector<JobWait>& waits) {
  MutexLock lock(mutex_);
  if (metrics_ == nullptr) return;
  std::map<std::string, double> now;  // by label
  for (const JobWait& job : waits) {
    const std::string label = LabelOf(job.name, job.listed);
    FiguresOf(label);
    double& of_label = now.try_emplace(label, 0).first->second;
    of_label = std::max(of_label, job.wait_ratio);
  }
  for (const std::string& label : waiting_labels_) {
    if (now.contains(label)) continue;
    metrics_->RemoveGauge(kWaitName, kWaitHelp, {{"job", label}});
  }
  waiting_labels_.clear();
  for (const auto& [label, wait_ratio] : now) {
    metrics_->AddGauge(kWaitName, kWaitHelp, {{"job", label}}).Set(wait_ratio);
    waiting_labels_.insert(label);
  }
}

}  // namespace tributary
