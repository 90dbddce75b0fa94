#include "sampler_server/service/load/job_activity.h"

#include <algorithm>
#include <utility>

#include "common/status/trouble_text.h"
#include "common/text/fit_text.h"

namespace tributary {
namespace {

int64_t NumberOf(absl::Time now) {
  return absl::ToInt64Nanoseconds(now - absl::UnixEpoch()) /
         absl::ToInt64Nanoseconds(JobActivity::kBucket);
}

}  // namespace

void JobActivity::AddDelivered(const std::string& job, bool listed,
                               const DeliveredBatch& batch, absl::Time now) {
  MutexLock lock(mutex_);
  Bucket& bucket = BucketOf(PlaceOf(job, listed, now), now);
  ++bucket.batches;
  bucket.bytes += batch.bytes;
  for (size_t stage = 0; stage < kNumTimedStages; ++stage) {
    bucket.times[stage] += batch.times[stage];
  }
  if (Total(batch.times) > Total(bucket.slowest.times)) bucket.slowest = batch;
}

void JobActivity::AddFailed(const std::string& job, bool listed,
                            const absl::Status& why, absl::Time now) {
  std::string error = FitText(why.ToString(), kMaxTroubleBytes);
  MutexLock lock(mutex_);
  Job& place = PlaceOf(job, listed, now);
  ++BucketOf(place, now).failed;
  place.last_error = std::move(error);
}

JobActivity::Job& JobActivity::PlaceOf(const std::string& job, bool listed,
                                       absl::Time now) {
  auto it = jobs_.find(job);
  if (it == jobs_.end() && !listed && unlisted_ >= kMaxUnlisted) {
    ForgetSilent(now);
  }
  // A client may call its job so, too.
  const bool others = job == kOthers || (it == jobs_.end() && !listed &&
                                         unlisted_ >= kMaxUnlisted);
  Job* place = &others_;
  if (others) {
    if (!others_used_) others_.first = now;
    others_used_ = true;
  } else if (it == jobs_.end()) {
    place = &jobs_[job];
    place->listed = listed;
    place->first = now;
    if (!listed) ++unlisted_;
  } else {
    place = &it->second;
  }
  place->last = now;
  return *place;
}

void JobActivity::ForgetSilent(absl::Time now) {
  unlisted_ -= std::erase_if(jobs_, [now](const auto& job) {
    return !job.second.listed && now - job.second.last >= kForgotten;
  });
}

JobActivity::Bucket& JobActivity::BucketOf(Job& job, absl::Time now) {
  const int64_t number = NumberOf(now);
  Bucket& bucket = job.buckets[static_cast<size_t>(number) % kBuckets];
  if (bucket.number != number) bucket = Bucket{.number = number};
  return bucket;
}

JobFigures JobActivity::FiguresOf(const std::string& name, const Job& job,
                                  absl::Time now) {
  JobFigures figures;
  figures.job = name;
  figures.listed = job.listed;
  const int64_t number = NumberOf(now);
  const int64_t oldest = number - static_cast<int64_t>(kBuckets) + 1;
  for (const Bucket& bucket : job.buckets) {
    if (bucket.number < oldest || bucket.number > number) continue;
    figures.batches += bucket.batches;
    figures.bytes += bucket.bytes;
    figures.failed += bucket.failed;
    for (size_t stage = 0; stage < kNumTimedStages; ++stage) {
      figures.times[stage] += bucket.times[stage];
    }
    if (Total(bucket.slowest.times) > Total(figures.slowest.times)) {
      figures.slowest = bucket.slowest;
    }
  }
  const absl::Time begin = absl::UnixEpoch() + oldest * kBucket;
  figures.covered = std::max(now - std::max(begin, job.first), kBucket);
  if (figures.failed > 0) figures.last_error = job.last_error;
  return figures;
}

std::vector<JobFigures> JobActivity::Jobs(absl::Time now) const {
  std::vector<JobFigures> all;
  MutexLock lock(mutex_);
  for (const auto& [name, job] : jobs_) {
    if (!job.listed && now - job.last >= kForgotten) continue;
    all.push_back(FiguresOf(name, job, now));
  }
  if (others_used_ && now - others_.last < kForgotten) {
    all.push_back(FiguresOf(kOthers, others_, now));
  }
  return all;
}

}  // namespace tributary
