#include "sampler_server/jobs/admission.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

// How much somebody may hold of a resource, as a multiple of what is left then.
struct Threshold {
  size_t held = 1;
  size_t left = 1;
};
constexpr Threshold kOfJob{1, 1};     // half of the resource, alone
constexpr Threshold kOfCaller{1, 3};  // three quarters: several jobs
constexpr Threshold kOfStream{3, 1};  // a quarter

// Whether one that holds `held` and takes `wanted` more keeps to the threshold.
// `taken` is what all hold now of `all`.
bool LeavesAsMuch(size_t held, size_t wanted, size_t taken, size_t all,
                  Threshold threshold = kOfJob) {
  const size_t left = all - std::min(all, taken);
  return wanted <= left &&
         threshold.held * (held + wanted) <= threshold.left * (left - wanted);
}

// What a batch that is being made counts as: at least the bytes of its room.
size_t RetainedBytes(size_t reserve_bytes) { return reserve_bytes / 2; }

// How much time below the allowed rate may be made up for.
constexpr absl::Duration kPaceSlack = absl::Milliseconds(100);

double ChargeOf(const BatchCost& cost) {
  return absl::ToDoubleNanoseconds(cost.cpu) + static_cast<double>(cost.bytes);
}

// Whether one that has `held` may queue another credit of `bytes`.
bool MayQueue(const QueuePlaces& held, size_t bytes, const QueuePlaces& all,
              const AdmissionLimits& limits, Threshold threshold) {
  return LeavesAsMuch(held.credits, 1, all.credits, limits.queued, threshold) &&
         LeavesAsMuch(held.bytes, bytes, all.bytes, limits.queued_bytes,
                      threshold);
}

absl::Status QueueShareTaken(const QueuePlaces& held, const std::string& whose,
                             const QueuePlaces& all,
                             const AdmissionLimits& limits) {
  return absl::ResourceExhaustedError(
      absl::StrCat(held.credits, " credits of ", held.bytes, " bytes of ",
                   whose, " wait here already, of ", all.credits, "; ",
                   limits.queued, " credits of ", limits.queued_bytes,
                   " bytes are shared: ask again when some are made"));
}

template <typename Key>
QueuePlaces PlacesOf(const std::map<Key, QueuePlaces>& places, const Key& key) {
  const auto it = places.find(key);
  return it == places.end() ? QueuePlaces() : it->second;
}

void Count(QueuePlaces& places, size_t bytes, bool more) {
  places.credits += more ? size_t{1} : size_t{0} - 1;
  places.bytes += more ? bytes : size_t{0} - bytes;
}

template <typename Key>
void Count(std::map<Key, QueuePlaces>& places, const Key& key, size_t bytes,
           bool more) {
  const auto it = places.try_emplace(key).first;
  Count(it->second, bytes, more);
  if (it->second.credits == 0) places.erase(it);
}

}  // namespace

absl::Status Admission::CheckQueue(const Batch& batch) const {
  if (all_.queue.credits >= limits_.queued ||
      all_.queue.bytes + batch.queued_bytes > limits_.queued_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(all_.queue.credits, " credits of ", all_.queue.bytes,
                     " bytes wait here already; allowed are ", limits_.queued,
                     " of ", limits_.queued_bytes, " bytes"));
  }
  if (!places_of_caller_.contains(batch.caller)) return absl::OkStatus();
  return CheckShares(batch);
}

// A job that waits for nothing may be a new name of a caller that waits for
// much, so the rules for callers and unlisted jobs hold for it too.
absl::Status Admission::CheckShares(const Batch& batch) const {
  // Copied: clang does not see in a lambda that the mutex is held.
  const QueuePlaces all = all_.queue;
  const auto refused = [&](const QueuePlaces& held, Threshold threshold) {
    return !MayQueue(held, batch.queued_bytes, all, limits_, threshold);
  };
  const auto it = jobs_.find(batch.job);
  const QueuePlaces job = it == jobs_.end() ? QueuePlaces() : it->second.queue;
  if (job.credits > 0 && refused(job, kOfJob)) {
    return QueueShareTaken(job,
                           absl::StrCat("job '", TerminalLine(batch.job), "'"),
                           all_.queue, limits_);
  }
  const bool grouped =
      limits_.weights.ListsAny() && !limits_.weights.Lists(batch.job);
  if (grouped && refused(unlisted_.queue, kOfJob)) {
    return QueueShareTaken(unlisted_.queue,
                           "the jobs that --job-weights do not list",
                           all_.queue, limits_);
  }
  const QueuePlaces caller = PlacesOf(places_of_caller_, batch.caller);
  if (refused(caller, kOfCaller)) {
    return QueueShareTaken(
        caller, absl::StrCat("caller '", TerminalLine(batch.caller), "'"),
        all_.queue, limits_);
  }
  const QueuePlaces stream = PlacesOf(places_of_stream_, batch.stream);
  if (stream.credits > 0 && refused(stream, kOfStream)) {
    return QueueShareTaken(stream, "this stream", all_.queue, limits_);
  }
  return absl::OkStatus();
}

void Admission::CountWaiting(const Batch& batch, bool waits) {
  ChangeUse(batch.job,
            [&](Use& use) { Count(use.queue, batch.queued_bytes, waits); });
  Count(places_of_caller_, batch.caller, batch.queued_bytes, waits);
  Count(places_of_stream_, batch.stream, batch.queued_bytes, waits);
}

absl::StatusOr<Admission::BatchId> Admission::Enqueue(Batch batch) {
  if (batch.reserve_bytes > budget_->limit()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a batch that needs ", batch.reserve_bytes, " bytes can never fit in ",
        budget_->name(), " = ", budget_->limit(), "; raise ", budget_->name(),
        " or make batches smaller"));
  }
  BatchId id = 0;
  {
    MutexLock lock(mutex_);
    absl::Status status = CheckQueue(batch);
    if (!status.ok()) return status;
    id = next_id_++;
    CountWaiting(batch, true);
    turns_.Push(batch.job, batch.stream, id);
    waiting_.emplace(id, std::move(batch));
  }
  Pump();
  return id;
}

bool Admission::Cancel(BatchId id) {
  Batch dropped;  // destroyed outside the lock
  {
    MutexLock lock(mutex_);
    auto it = waiting_.find(id);
    if (it == waiting_.end()) return false;
    dropped = std::move(it->second);
    waiting_.erase(it);
    CountWaiting(dropped, false);
    if (picked_ == id) {
      turns_.Refund(dropped.job, picked_guess_);
      // If it is too late for that, OnReserved releases the reservation.
      if (budget_->Cancel(waiter_)) picked_ = 0;
    } else {
      turns_.Remove(dropped.job, dropped.stream, id);
    }
  }
  Pump();
  return true;
}

void Admission::SetWaiting(BatchId id, bool waits) {
  {
    MutexLock lock(mutex_);
    auto it = started_.find(id);
    if (it == started_.end() || it->second.made || it->second.waits == waits) {
      return;
    }
    it->second.waits = waits;
    computing_ += waits ? -1 : 1;
  }
  Pump();
}

void Admission::MarkMade(BatchId id, const BatchCost& cost) {
  {
    MutexLock lock(mutex_);
    auto it = started_.find(id);
    if (it == started_.end() || it->second.made) return;
    Started& batch = it->second;
    batch.made = true;
    --running_;
    if (!batch.waits) --computing_;
    ChangeUse(batch.job, [&](Use& use) {
      use.retained += cost.unread - batch.retained;
      use.unread += cost.unread;
    });
    batch.retained = batch.unread = cost.unread;
    turns_.Settle(batch.job, batch.guess, ChargeOf(cost));
    AddPace(static_cast<double>(cost.bytes) - batch.paced_bytes);
    if (cost.bytes > 0) latest_bytes_ = static_cast<double>(cost.bytes);
  }
  Pump();
}

void Admission::Finish(BatchId id) {
  {
    MutexLock lock(mutex_);
    auto it = started_.find(id);
    if (it == started_.end()) return;
    const Started& batch = it->second;
    auto count = started_by_stream_.find(batch.stream);
    if (--count->second == 0) started_by_stream_.erase(count);
    if (!batch.made) {
      --running_;
      if (!batch.waits) --computing_;
      turns_.Refund(batch.job, batch.guess);
      AddPace(-batch.paced_bytes);
    }
    ChangeUse(batch.job, [&](Use& use) {
      --use.started;
      use.retained -= batch.retained;
      use.unread -= batch.unread;
    });
    started_.erase(it);
  }
  Pump();
}

template <typename Change>
void Admission::ChangeUse(const std::string& job, Change change) {
  const auto it = jobs_.try_emplace(job).first;
  change(it->second);
  change(all_);
  if (!limits_.weights.Lists(job)) change(unlisted_);
  if (it->second.queue.credits == 0 && it->second.started == 0) jobs_.erase(it);
}

absl::Duration Admission::PaceOf(double bytes) const {
  return limits_.bytes_per_second == 0
             ? absl::ZeroDuration()
             : absl::Seconds(bytes /
                             static_cast<double>(limits_.bytes_per_second));
}

void Admission::AddPace(double bytes) {
  paced_until_ += PaceOf(bytes);
  paced_ += PaceOf(bytes);
}

void Admission::ExpectFileReads() {
  {
    MutexLock lock(mutex_);
    reads_files_ = true;
  }
  Pump();
}

bool Admission::MayStartOne() {
  if (picked_ != 0 || running_ >= FileReadFactor() * limits_.running ||
      computing_ >= limits_.computing) {
    return false;
  }
  if (limits_.bytes_per_second == 0 || executor_->Now() >= paced_until_) {
    return true;
  }
  // A batch that is made smaller than expected brings the time forward.
  if (turns_.size() > 0 && paced_until_ < pace_timer_) {
    pace_timer_ = paced_until_;
    executor_->PostAt(paced_until_,
                      [weak = weak_from_this(), at = paced_until_] {
                        const auto self = weak.lock();
                        if (self == nullptr) return;
                        {
                          MutexLock lock(self->mutex_);
                          if (self->pace_timer_ == at)
                            self->pace_timer_ = absl::InfiniteFuture();
                        }
                        self->Pump();
                      });
  }
  return false;
}

bool Admission::StreamMayRun(uint64_t stream) const {
  const auto it = started_by_stream_.find(stream);
  return it == started_by_stream_.end() ||
         it->second < FileReadFactor() * limits_.running_per_stream;
}

bool Admission::JobMayStart(const std::string& job, BatchId id) const {
  const size_t held = jobs_.at(job).retained;
  if (held == 0) return true;
  const size_t wanted = RetainedBytes(waiting_.at(id).reserve_bytes);
  const size_t budget = budget_->limit();
  if (!LeavesAsMuch(held, wanted, all_.retained, budget)) return false;
  return limits_.weights.Lists(job) || !limits_.weights.ListsAny() ||
         LeavesAsMuch(unlisted_.retained, wanted, all_.retained, budget);
}

bool Admission::PickNext() {
  if (!MayStartOne()) return false;
  const auto turn = turns_.Pop(
      {[this](uint64_t stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
         return StreamMayRun(stream);
       },
       [this](const std::string& job, BatchId id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(
           mutex_) { return JobMayStart(job, id); }});
  if (!turn) return false;
  picked_ = turn->batch;
  picked_guess_ = turn->guess;
  picked_at_ = executor_->Now();
  return true;
}

// One batch at a time waits for the budget; the others keep their turns.
void Admission::Pump() {
  MutexLock lock(mutex_);
  if (!PickNext()) return;
  auto waiter = budget_->Reserve(
      waiting_.at(picked_).reserve_bytes, executor_,
      [self = shared_from_this(), id = picked_](Reservation reservation) {
        self->OnReserved(id, std::move(reservation));
      });
  waiter_ = waiter.value_or(0);  // Enqueue has checked that it can fit
}

void Admission::BeginLocked(BatchId id, Batch& batch) {
  Started started;
  started.job = batch.job;
  started.stream = batch.stream;
  started.guess = picked_guess_;
  started.retained = RetainedBytes(batch.reserve_bytes);
  ChangeUse(batch.job, [&](Use& use) {
    ++use.started;
    use.retained += started.retained;
  });
  CountWaiting(batch, false);
  ++started_by_stream_[batch.stream];
  ++running_;
  ++computing_;
  started.paced_bytes = latest_bytes_;
  // Its size is taken to be that of the latest batch until it is made.
  paced_until_ = std::max(paced_until_, executor_->Now() - kPaceSlack);
  AddPace(started.paced_bytes);
  started_.emplace(id, std::move(started));
}

void Admission::OnReserved(BatchId id, Reservation reservation) {
  Batch batch;
  {
    MutexLock lock(mutex_);
    auto it = waiting_.find(id);
    if (it != waiting_.end()) {
      batch = std::move(it->second);
      waiting_.erase(it);
      BeginLocked(id, batch);
    }
    if (picked_ == id) picked_ = 0;
  }
  Pump();
  if (batch.start) {
    batch.start(std::move(reservation));
  }
}

size_t Admission::num_queued() const {
  MutexLock lock(mutex_);
  return waiting_.size();
}

BatchesAhead Admission::Ahead(const std::string& job) const {
  MutexLock lock(mutex_);
  BatchesAhead ahead;
  ahead.all = waiting_.size() + static_cast<size_t>(running_);
  const auto use = jobs_.find(job);
  if (use == jobs_.end()) return ahead;
  // Of those that have started some are made, and being sent.
  ahead.of_job =
      std::min(ahead.all, use->second.queue.credits + use->second.started);
  return ahead;
}

int Admission::num_running() const {
  MutexLock lock(mutex_);
  return running_;
}

std::vector<JobState> Admission::Jobs() const {
  MutexLock lock(mutex_);
  std::vector<JobState> jobs;
  jobs.reserve(jobs_.size());
  for (const auto& [name, use] : jobs_) {
    jobs.push_back({name, limits_.weights.WeightOf(name),
                    limits_.weights.Lists(name), use.queue.credits, use.started,
                    use.unread});
  }
  return jobs;
}

absl::Duration Admission::rate_time() const {
  MutexLock lock(mutex_);
  const absl::Duration to_come = paced_until_ - executor_->Now();
  return paced_ - std::max(absl::ZeroDuration(), to_come);
}

absl::Time Admission::memory_wanted_since() const {
  MutexLock lock(mutex_);
  return picked_ == 0 ? absl::InfiniteFuture() : picked_at_;
}

}  // namespace tributary
