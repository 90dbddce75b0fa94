#include "sampler_server/tensors/parked_calls.h"

#include <algorithm>
#include <utility>

namespace tributary {

void ParkedCalls::Post(Resume resume, absl::Status status) {
  executor_->Post(
      [resume = std::move(resume), status = std::move(status)]() mutable {
        resume(std::move(status));
      });
}

void ParkedCalls::Park(uint64_t number, absl::Time deadline,
                       const CancelToken& cancel,
                       absl::AnyInvocable<absl::Status()> late, Resume resume) {
  uint64_t id = 0;
  absl::Status now;
  {
    MutexLock lock(mutex_);
    now = ended_;
    if (ended_.ok() && number_ < number) {
      id = next_id_++;
      const std::weak_ptr<ParkedCalls> weak = weak_from_this();
      const TimerId timer = executor_->PostAt(deadline, [weak, id] {
        if (const auto self = weak.lock()) self->EndOne(id, /*is_late=*/true);
      });
      parked_.emplace(
          id, Parked{number, timer, std::move(late), std::move(resume)});
    }
  }
  if (id == 0) return Post(std::move(resume), std::move(now));
  cancel.OnCancel([weak = weak_from_this(), id] {
    if (const auto self = weak.lock()) self->EndOne(id, /*is_late=*/false);
  });
}

void ParkedCalls::EndOne(uint64_t id, bool is_late) {
  Parked parked;
  {
    MutexLock lock(mutex_);
    const auto it = parked_.find(id);
    if (it == parked_.end()) return;
    parked = std::move(it->second);
    parked_.erase(it);
  }
  executor_->CancelTimer(parked.timer);
  Post(std::move(parked.resume),
       is_late ? parked.late()
               : absl::CancelledError("the caller no longer waits"));
}

void ParkedCalls::Reach(uint64_t number) {
  std::vector<Parked> reached;
  {
    MutexLock lock(mutex_);
    number_ = std::max(number_, number);
    for (auto it = parked_.begin(); it != parked_.end();) {
      if (it->second.number > number_) {
        ++it;
        continue;
      }
      reached.push_back(std::move(it->second));
      it = parked_.erase(it);
    }
  }
  for (Parked& parked : reached) {
    executor_->CancelTimer(parked.timer);
    Post(std::move(parked.resume), absl::OkStatus());
  }
}

void ParkedCalls::Fail(const absl::Status& why) {
  std::map<uint64_t, Parked> failed;
  {
    MutexLock lock(mutex_);
    failed.swap(parked_);
  }
  for (auto& [id, parked] : failed) {
    executor_->CancelTimer(parked.timer);
    Post(std::move(parked.resume), why);
  }
}

void ParkedCalls::End(const absl::Status& why) {
  {
    MutexLock lock(mutex_);
    if (ended_.ok()) ended_ = why;
  }
  Fail(why);
}

uint64_t ParkedCalls::number() const {
  MutexLock lock(mutex_);
  return number_;
}

size_t ParkedCalls::size() const {
  MutexLock lock(mutex_);
  return parked_.size();
}

}  // namespace tributary
