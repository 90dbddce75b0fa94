#include "trainer_client/core/asked_batch.h"

#include <sys/eventfd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<int> PolledEvent::Descriptor() {
  MutexLock lock(mutex_);
  if (fd_.valid()) return fd_.get();
  UniqueFd fd(eventfd(set_ ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!fd.valid()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("eventfd: ", std::strerror(errno)));
  }
  fd_ = std::move(fd);
  return fd_.get();
}

void PolledEvent::Set() {
  MutexLock lock(mutex_);
  if (std::exchange(set_, true) || !fd_.valid()) return;
  eventfd_write(fd_.get(), 1);
}

void PolledEvent::Clear() {
  MutexLock lock(mutex_);
  if (!std::exchange(set_, false) || !fd_.valid()) return;
  eventfd_t count = 0;
  eventfd_read(fd_.get(), &count);
}

WaitingNext::Delivered AskedBatch::Ask() {
  answer_ = std::make_shared<Answer>();
  {
    MutexLock lock(answer_->mutex);
    answer_->ready = ready_;
  }
  return [answer = answer_](Result result) {
    answer->result.Set(std::move(result));
    MutexLock lock(answer->mutex);
    if (answer->ready != nullptr) answer->ready->Set();
  };
}

std::optional<AskedBatch::Result> AskedBatch::Take(absl::Duration wait) {
  std::optional<Result> result = answer_->result.Wait(wait);
  if (result.has_value()) Drop();
  return result;
}

void AskedBatch::Drop() {
  if (answer_ == nullptr) return;
  {
    MutexLock lock(answer_->mutex);
    answer_->ready.reset();
  }
  ready_->Clear();
  answer_.reset();
}

}  // namespace tributary
