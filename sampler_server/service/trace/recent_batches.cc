#include "sampler_server/service/trace/recent_batches.h"

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

// Of a job beside its batches: its place in the map, its lists' own memory.
constexpr size_t kJobBytes = 2048;

}  // namespace

void RecentBatches::Add(const v1::BatchTrace& trace, absl::Duration took,
                        absl::Time now) {
  Record record{trace.epoch(), trace.index(), took, now,
                trace.SerializeAsString()};
  MutexLock lock(mutex_);
  Job& job = JobOf(trace.job());
  job.used = now;
  Change(job, record.bytes(), 0);
  job.latest.push_back(std::move(record));
  while (bytes_ > max_bytes_ && !jobs_.empty()) MakeRoom(now);
}

RecentBatches::Job& RecentBatches::JobOf(const std::string& name) {
  const auto found = jobs_.find(name);
  if (found != jobs_.end()) return found->second;
  if (jobs_.size() == kMaxJobs) ForgetSilentJob();
  Job& job = jobs_[name];
  Change(job, kJobBytes + name.size(), 0);
  return job;
}

void RecentBatches::ForgetSilentJob() {
  const auto silent = std::min_element(jobs_.begin(), jobs_.end(),
                                       [](const auto& a, const auto& b) {
                                         return a.second.used < b.second.used;
                                       });
  bytes_ -= silent->second.bytes;
  jobs_.erase(silent);
}

void RecentBatches::MakeRoom(absl::Time now) {
  const auto largest = std::max_element(
      jobs_.begin(), jobs_.end(), [](const auto& a, const auto& b) {
        return a.second.bytes < b.second.bytes;
      });
  Job& job = largest->second;
  if (job.latest.empty()) {
    // Slow ones alone exceed the limit: no part of the job is worth more.
    bytes_ -= job.bytes;
    jobs_.erase(largest);
    return;
  }
  Record oldest = std::move(job.latest.front());
  job.latest.pop_front();
  Change(job, 0, oldest.bytes());
  KeepIfSlow(job, std::move(oldest), now);
}

void RecentBatches::KeepIfSlow(Job& job, Record record, absl::Time now) {
  for (size_t i = job.slow.size(); i-- > 0;) {
    if (now - job.slow[i].at > kSlowFor) ForgetSlow(job, i);
  }
  if (now - record.at > kSlowFor) return;
  if (job.slow.size() == kMaxSlow) {
    const auto fastest = std::min_element(
        job.slow.begin(), job.slow.end(),
        [](const auto& a, const auto& b) { return a.took < b.took; });
    if (fastest->took >= record.took) return;
    ForgetSlow(job, static_cast<size_t>(fastest - job.slow.begin()));
  }
  Change(job, record.bytes(), 0);
  job.slow.push_back(std::move(record));
}

void RecentBatches::ForgetSlow(Job& job, size_t which) {
  Change(job, 0, job.slow[which].bytes());
  job.slow.erase(job.slow.begin() + static_cast<ptrdiff_t>(which));
}

void RecentBatches::Change(Job& job, size_t more, size_t less) {
  job.bytes += more;
  job.bytes -= less;
  bytes_ += more;
  bytes_ -= less;
}

std::vector<v1::BatchTrace> RecentBatches::Find(const std::string& job,
                                                uint64_t epoch,
                                                uint64_t index) const {
  std::vector<const Record*> found;
  std::vector<v1::BatchTrace> traces;
  MutexLock lock(mutex_);
  const auto it = jobs_.find(job);
  if (it == jobs_.end()) return traces;
  const auto take = [&](const Record& record) {
    if (record.epoch == epoch && record.index == index) {
      found.push_back(&record);
    }
  };
  for (const Record& record : it->second.slow) take(record);
  for (const Record& record : it->second.latest) take(record);
  std::stable_sort(
      found.begin(), found.end(),
      [](const Record* a, const Record* b) { return a->at < b->at; });
  if (found.size() > kMaxFound)
    found.erase(found.begin(), found.end() - kMaxFound);
  for (const Record* record : found) {
    traces.emplace_back().ParseFromString(record->trace);
  }
  return traces;
}

size_t RecentBatches::bytes() const {
  MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace tributary
