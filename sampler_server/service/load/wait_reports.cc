#include "sampler_server/service/load/wait_reports.h"

#include <algorithm>

namespace tributary {

void WaitReports::Set(uint64_t stream, const std::string& job,
                      double wait_ratio, absl::Time now) {
  MutexLock lock(mutex_);
  by_stream_[stream] = {job, wait_ratio, now};
}

void WaitReports::Remove(uint64_t stream) {
  MutexLock lock(mutex_);
  by_stream_.erase(stream);
}

std::map<std::string, double> WaitReports::ByJob(absl::Time now) const {
  std::map<std::string, double> largest;
  MutexLock lock(mutex_);
  for (const auto& [stream, report] : by_stream_) {
    if (now - report.at >= kLifetime) continue;
    double& of_job = largest.try_emplace(report.job, 0).first->second;
    of_job = std::max(of_job, report.wait_ratio);
  }
  return largest;
}

double WaitReports::Largest(absl::Time now) const {
  double largest = 0;
  for (const auto& [job, wait_ratio] : ByJob(now)) {
    largest = std::max(largest, wait_ratio);
  }
  return largest;
}

}  // namespace tributary
