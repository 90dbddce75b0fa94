#include "trainer_client/torch/ddp/heartbeat.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tributary {

// One cache line for each rank.
struct alignas(64) HeartbeatBoard::Slot {
  std::atomic<uint64_t> alive;
  std::atomic<uint64_t> progress;
};

absl::StatusOr<std::unique_ptr<HeartbeatBoard>> HeartbeatBoard::Create(
    int ranks) {
  const size_t bytes = ranks * sizeof(Slot);
  const int fd = memfd_create("tributary-heartbeats", MFD_CLOEXEC);
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(bytes)) == 0) {
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) {
      return std::unique_ptr<HeartbeatBoard>(
          new HeartbeatBoard(fd, static_cast<Slot*>(memory), ranks));
    }
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  return absl::InternalError(
      absl::StrCat("memory for heartbeats: ", std::strerror(error)));
}

HeartbeatBoard::~HeartbeatBoard() {
  munmap(slots_, ranks_ * sizeof(Slot));
  close(fd_);
}

std::vector<Beats> HeartbeatBoard::Read() const {
  std::vector<Beats> beats(ranks_);
  for (int i = 0; i < ranks_; ++i) {
    beats[i].alive = slots_[i].alive.load(std::memory_order_relaxed);
    beats[i].progress = slots_[i].progress.load(std::memory_order_relaxed);
  }
  return beats;
}

absl::StatusOr<std::unique_ptr<Heartbeat>> Heartbeat::Start(
    int local_rank, absl::FunctionRef<const char*(const char*)> variable) {
  const char* text = variable(kHeartbeatFdVariable);
  if (text == nullptr) {
    return std::unique_ptr<Heartbeat>(new Heartbeat(nullptr, local_rank));
  }
  const size_t bytes = (local_rank + 1) * sizeof(HeartbeatBoard::Slot);
  int fd = -1;
  struct stat info {};
  if (local_rank >= 0 && absl::SimpleAtoi(text, &fd) && fstat(fd, &info) == 0 &&
      info.st_size >= static_cast<off_t>(bytes)) {
    void* memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory != MAP_FAILED) {
      close(fd);  // the mapping stays; worker processes must not inherit it
      return std::unique_ptr<Heartbeat>(new Heartbeat(
          static_cast<HeartbeatBoard::Slot*>(memory), local_rank));
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the environment variable ", kHeartbeatFdVariable, " is \"", text,
      "\"; allowed is the launcher's memory with a place for the local rank ",
      local_rank, ", or leave it unset"));
}

Heartbeat::Heartbeat(HeartbeatBoard::Slot* slots, int local_rank)
    : slots_(slots), local_rank_(local_rank) {
  if (slots_ != nullptr) thread_ = std::thread([this] { Run(); });
}

Heartbeat::~Heartbeat() {
  if (slots_ == nullptr) return;
  {
    MutexLock lock(mutex_);
    ended_ = true;
  }
  ended_changed_.NotifyAll();
  thread_.join();
  munmap(slots_, (local_rank_ + 1) * sizeof(HeartbeatBoard::Slot));
}

void Heartbeat::Progress() {
  if (slots_ == nullptr) return;
  slots_[local_rank_].progress.fetch_add(1, std::memory_order_relaxed);
}

void Heartbeat::Run() {
  MutexLock lock(mutex_);
  while (!ended_) {
    slots_[local_rank_].alive.fetch_add(1, std::memory_order_relaxed);
    const auto next =
        std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (!ended_ && ended_changed_.WaitUntil(mutex_, next)) {
    }
  }
}

}  // namespace tributary
