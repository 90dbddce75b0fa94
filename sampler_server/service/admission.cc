#include "sampler_server/service/admission.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<Admission::JobId> Admission::Enqueue(Job job) {
  if (job.reserve_bytes > budget_->limit()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a batch that needs ", job.reserve_bytes, " bytes can never fit in ",
        budget_->name(), " = ", budget_->limit(), "; raise ", budget_->name(),
        " or make batches smaller"));
  }
  JobId id = 0;
  {
    MutexLock lock(mutex_);
    if (waiting_.size() >= limits_.queued ||
        queued_bytes_ + job.queued_bytes > limits_.queued_bytes) {
      return absl::ResourceExhaustedError(
          absl::StrCat(waiting_.size(), " credits of ", queued_bytes_,
                       " bytes wait here already; allowed are ", limits_.queued,
                       " of ", limits_.queued_bytes, " bytes"));
    }
    id = next_id_++;
    queued_bytes_ += job.queued_bytes;
    turns_.Push(job.client, job.stream, id);
    waiting_.emplace(id, std::move(job));
  }
  Pump();
  return id;
}

bool Admission::Cancel(JobId id) {
  Job dropped;  // destroyed outside the lock
  {
    MutexLock lock(mutex_);
    auto it = waiting_.find(id);
    if (it == waiting_.end()) return false;
    dropped = std::move(it->second);
    waiting_.erase(it);
    queued_bytes_ -= dropped.queued_bytes;
    if (picked_ == id) {
      // Too late when the grant is on its way: OnReserved gives it back.
      if (budget_->Cancel(waiter_)) picked_ = 0;
    } else {
      turns_.Remove(dropped.client, dropped.stream, id);
    }
  }
  Pump();
  return true;
}

void Admission::Made(JobId id) {
  {
    MutexLock lock(mutex_);
    auto it = started_.find(id);
    if (it == started_.end() || it->second.made) return;
    it->second.made = true;
    --running_;
  }
  Pump();
}

void Admission::Finish(JobId id) {
  {
    MutexLock lock(mutex_);
    auto it = started_.find(id);
    if (it == started_.end()) return;
    auto count = started_of_.find(it->second.stream);
    if (--count->second == 0) started_of_.erase(count);
    if (!it->second.made) --running_;
    started_.erase(it);
  }
  Pump();
}

bool Admission::PickNext() {
  if (picked_ != 0 || running_ >= limits_.running) return false;
  auto id =
      turns_.Pop([this](uint64_t stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        auto it = started_of_.find(stream);
        return it == started_of_.end() ||
               it->second < limits_.running_per_stream;
      });
  if (!id) return false;
  picked_ = *id;
  return true;
}

// One job at a time waits for the budget: the others keep their turns.
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

void Admission::OnReserved(JobId id, Reservation reservation) {
  Job job;
  {
    MutexLock lock(mutex_);
    if (picked_ == id) picked_ = 0;
    auto it = waiting_.find(id);
    if (it != waiting_.end()) {
      job = std::move(it->second);
      waiting_.erase(it);
      queued_bytes_ -= job.queued_bytes;
      started_.emplace(id, Started{job.stream});
      ++started_of_[job.stream];
      ++running_;
    }
  }
  Pump();
  if (job.start) {
    job.start(std::move(reservation));
  }
}

size_t Admission::num_queued() const {
  MutexLock lock(mutex_);
  return waiting_.size();
}

int Admission::num_running() const {
  MutexLock lock(mutex_);
  return running_;
}

}  // namespace tributary
