// The metrics of each job.
#ifndef TRIBUTARY_SAMPLER_SERVER_JOBS_JOB_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_JOBS_JOB_METRICS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/observe/metrics.h"
#include "common/runtime/mutex.h"
#include "sampler_server/jobs/admission.h"

namespace tributary {

// How much the trainers of a job wait; see WaitReports::ByJob.
struct JobWait {
  std::string name;
  bool listed = false;
  double wait_ratio = 0;
};

// Counts what is made for each job, by a label with the job's name. Clients
// choose these names, and a registered metric stays for ever: so the jobs that
// the operator lists have a label of their own, as have the first few others;
// all further ones share kOthers. Thread-safe.
class JobMetrics {
 public:
  static constexpr size_t kMaxUnlisted = 32;
  static constexpr char kOthers[] = "(others)";

  // Sets where metrics are registered, which outlives this. Call it before
  // anything else; without it nothing is counted.
  void SetRegistry(Metrics* metrics);
  // Counts a credit that is taken into the queue.
  void AddRequest(const std::string& job, bool listed);
  // Counts a task of the job that has ended.
  void AddBatch(const std::string& job, bool listed, const BatchCost& cost);
  // Counts the cost of a step of a job's calls for rows and of the graph.
  void AddDataCalls(const std::string& job, bool listed, absl::Duration cost);
  // Counts a batch of which the network has taken the last byte.
  void AddDelivered(const std::string& job, bool listed);
  // Sets the gauges to the present state of all jobs.
  void SetJobs(const std::vector<JobState>& jobs);
  // Sets how much each job's trainers wait, from 0 to 1. Jobs that share a
  // label show the largest; a job that is not among them has no such metric.
  void SetWaits(const std::vector<JobWait>& waits);

 private:
  struct Figures {
    Counter credits;
    Counter batches;
    Counter delivered;
    Counter bytes;
    Counter cpu_seconds;
    Counter data_cpu_seconds;
    Gauge waiting;
    Gauge unread;
  };
  std::string LabelOf(const std::string& job, bool listed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Figures& FiguresOf(const std::string& label)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  Metrics* metrics_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::map<std::string, Figures> figures_ ABSL_GUARDED_BY(mutex_);
  size_t unlisted_ ABSL_GUARDED_BY(mutex_) = 0;  // of figures_
  // Labels with a wait ratio in the registry.
  std::set<std::string> waiting_labels_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_JOBS_JOB_METRICS_H_
