#include "sampler_server/jobs/fair_queue.h"

#include <algorithm>

namespace tributary {
namespace {

constexpr char kOthers[] = "*";
// Jobs of a group whose accounts are kept, also without batches: an account may
// be ahead of the others.
constexpr size_t kMaxRememberedJobs = 256;
// The guess before any batch has ended: turns are equal.
constexpr double kFirstGuess = 1;

// Moves the accounts of members that may not run up to `now`, so that they save
// nothing up.
template <typename Members>
void ForfeitUnusedShares(Members& members, double now) {
  for (auto& [name, member] : members) {
    if (member.account.may_run) continue;
    member.account.start = std::max(member.account.start, now);
  }
}

// Updates an exponential moving average, in which `cost` counts for an eighth.
void Average(double& mean, double cost) {
  mean = mean == 0 ? cost : mean + (cost - mean) / 8;
}

}  // namespace

FairQueue::Group& FairQueue::GroupOf(const std::string& job) {
  const auto [it, added] =
      groups_.try_emplace(weights_.Lists(job) ? job : std::string(kOthers));
  if (added) {
    it->second.weight = std::max<double>(1, weights_.WeightOf(job));
    it->second.account.start = now_;
  }
  return it->second;
}

FairQueue::Job& FairQueue::FindOrAdd(Group& group, const std::string& name) {
  const auto found = group.jobs.find(name);
  if (found != group.jobs.end()) return found->second;
  if (group.jobs.size() >= kMaxRememberedJobs) ForgetIdleJobs(group);
  Job& job = group.jobs[name];
  job.account.start = group.now;
  return job;
}

// Forgets the idle jobs whose accounts are no higher than that of a new job; if
// that is not enough, the idle job whose account is the least ahead.
void FairQueue::ForgetIdleJobs(Group& group) {
  auto least = group.jobs.end();
  for (auto it = group.jobs.begin(); it != group.jobs.end();) {
    if (!it->second.streams.empty()) {
      ++it;
    } else if (it->second.account.start <= group.now) {
      it = group.jobs.erase(it);
    } else {
      if (least == group.jobs.end() ||
          it->second.account.start < least->second.account.start) {
        least = it;
      }
      ++it;
    }
  }
  if (group.jobs.size() >= kMaxRememberedJobs && least != group.jobs.end()) {
    group.jobs.erase(least);
  }
}

void FairQueue::Push(const std::string& name, StreamId stream, BatchId batch) {
  Group& group = GroupOf(name);
  if (group.waiting == 0) {
    group.account.start = std::max(group.account.start, now_);
  }
  Job& job = FindOrAdd(group, name);
  if (job.streams.empty()) {
    job.account.start = std::max(job.account.start, group.now);
  }
  auto it =
      std::find_if(job.streams.begin(), job.streams.end(),
                   [stream](const StreamBatches& s) { return s.id == stream; });
  if (it == job.streams.end()) it = job.streams.insert(it, {stream, {}});
  it->batches.push_back(batch);
  ++group.waiting;
  ++size_;
}

bool FairQueue::Remove(const std::string& name, StreamId stream,
                       BatchId batch) {
  Group& group = GroupOf(name);
  const auto job = group.jobs.find(name);
  if (job == group.jobs.end()) return false;
  auto& streams = job->second.streams;
  const auto of =
      std::find_if(streams.begin(), streams.end(),
                   [stream](const StreamBatches& s) { return s.id == stream; });
  if (of == streams.end()) return false;
  const auto it = std::find(of->batches.begin(), of->batches.end(), batch);
  if (it == of->batches.end()) return false;
  of->batches.erase(it);
  if (of->batches.empty()) streams.erase(of);
  --group.waiting;
  --size_;
  return true;
}

std::optional<FairQueue::StreamTurn> FairQueue::FirstOf(const std::string& name,
                                                        Job& job,
                                                        const Rules& rules) {
  for (auto it = job.streams.begin(); it != job.streams.end(); ++it) {
    if (!rules.stream_may_run(it->id)) continue;
    if (!rules.job_may_start(name, it->batches.front())) return std::nullopt;
    return it;
  }
  return std::nullopt;
}

std::optional<FairQueue::Candidate> FairQueue::NextOf(Group& group,
                                                      const Rules& rules) {
  std::optional<Candidate> next;
  for (auto& [name, job] : group.jobs) {
    if (job.streams.empty()) continue;
    const auto stream = FirstOf(name, job, rules);
    job.account.may_run = stream.has_value();
    if (!stream) continue;
    if (!next || job.account.start < next->job->account.start) {
      next = Candidate{&group, &job, *stream};
    }
  }
  return next;
}

std::optional<FairQueue::Candidate> FairQueue::Next(const Rules& rules) {
  std::optional<Candidate> next;
  for (auto& [name, group] : groups_) {
    if (group.waiting == 0) continue;
    const auto candidate = NextOf(group, rules);
    group.account.may_run = candidate.has_value();
    if (!candidate) continue;
    if (!next || group.account.start < next->group->account.start) {
      next = candidate;
    }
  }
  return next;
}

std::optional<FairQueue::Turn> FairQueue::Pop(const Rules& rules) {
  const auto next = Next(rules);
  if (!next) return std::nullopt;
  return Take(*next);
}

// The stream that has had a turn goes to the end of its job's list.
FairQueue::Turn FairQueue::Take(const Candidate& next) {
  now_ = std::max(now_, next.group->account.start);
  next.group->now = std::max(next.group->now, next.job->account.start);
  ForfeitUnusedShares(groups_, now_);
  ForfeitUnusedShares(next.group->jobs, next.group->now);
  double guess = next.job->guess;
  if (guess == 0) guess = guess_ == 0 ? kFirstGuess : guess_;
  const Turn turn{next.stream->batches.front(), guess};
  next.stream->batches.pop_front();
  auto& streams = next.job->streams;
  if (next.stream->batches.empty()) {
    streams.erase(next.stream);
  } else {
    streams.splice(streams.end(), streams, next.stream);
  }
  --next.group->waiting;
  --size_;
  Charge(*next.group, *next.job, turn.guess);
  return turn;
}

void FairQueue::Charge(Group& group, Job& job, double cost) {
  group.account.start += cost / group.weight;
  job.account.start += cost;
}

void FairQueue::Settle(const std::string& name, double guess, double cost) {
  Group& group = GroupOf(name);
  Job& job = FindOrAdd(group, name);
  Charge(group, job, cost - guess);
  Average(job.guess, cost);
  Average(guess_, cost);
}

void FairQueue::Refund(const std::string& name, double guess) {
  Group& group = GroupOf(name);
  Charge(group, FindOrAdd(group, name), -guess);
}

}  // namespace tributary
