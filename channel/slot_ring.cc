#include "channel/slot_ring.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

std::shared_ptr<SlotRing> SlotRing::Create(size_t bytes) {
  AlignedBuffer buffer(AlignUp(bytes, kUnit));
  const absl::Span<uint8_t> memory = buffer.span();
  return std::shared_ptr<SlotRing>(
      new SlotRing(std::move(buffer), memory, nullptr));
}

std::shared_ptr<SlotRing> SlotRing::Over(absl::Span<uint8_t> memory,
                                         std::shared_ptr<const void> owner) {
  return std::shared_ptr<SlotRing>(
      new SlotRing(AlignedBuffer(), memory.first(memory.size() / kUnit * kUnit),
                   std::move(owner)));
}

SlotRing::SlotRing(AlignedBuffer buffer, absl::Span<uint8_t> memory,
                   std::shared_ptr<const void> owner)
    : buffer_(std::move(buffer)), owner_(std::move(owner)), memory_(memory) {
  if (!memory_.empty()) free_[0] = memory_.size();
}

void SlotRing::OnRoomFreed(std::function<void()> callback) {
  MutexLock lock(mutex_);
  room_freed_.swap(callback);  // the old one is destroyed without the lock
}

std::optional<SlotId> SlotRing::Allocate(size_t bytes) {
  if (bytes > memory_.size()) return std::nullopt;
  const size_t extent = AlignUp(std::max<size_t>(bytes, 1), kUnit);
  MutexLock lock(mutex_);
  auto best = free_.end();
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->second < extent) continue;
    if (best == free_.end() || it->second < best->second) best = it;
  }
  if (best == free_.end()) return std::nullopt;
  const auto [offset, free_extent] = *best;
  free_.erase(best);
  if (free_extent > extent) free_[offset + extent] = free_extent - extent;
  used_ += extent;
  peak_ = std::max(peak_, used_);
  const SlotId id = next_id_++;
  slots_[id] = {State::kGranted, offset, extent, bytes};
  return id;
}

absl::StatusOr<absl::Span<uint8_t>> SlotRing::Bytes(SlotId id) const {
  MutexLock lock(mutex_);
  const auto it = slots_.find(id);
  if (it == slots_.end()) {
    return absl::FailedPreconditionError(absl::StrCat("slot ", id, " is free"));
  }
  return memory_.subspan(it->second.offset, it->second.bytes);
}

absl::Status SlotRing::MarkReady(SlotId id, size_t bytes) {
  {
    MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(auto* slot, Find(id, State::kGranted, "made ready"));
    if (bytes > slot->bytes) {
      return absl::FailedPreconditionError(
          absl::StrCat("slot ", id, " of ", slot->bytes,
                       " bytes cannot be ready with ", bytes));
    }
    slot->state = State::kReady;
    slot->bytes = bytes;
    const size_t kept = AlignUp(std::max<size_t>(bytes, 1), kUnit);
    if (kept == slot->extent) return absl::OkStatus();
    ReturnExtent(slot->offset + kept, slot->extent - kept);
    slot->extent = kept;
  }
  TellRoomFreed();
  return absl::OkStatus();
}

absl::Status SlotRing::Free(SlotId id) {
  {
    MutexLock lock(mutex_);
    const auto it = slots_.find(id);
    if (it == slots_.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat("slot ", id, " is free already"));
    }
    if (it->second.state == State::kLeased) {
      return WrongState(id, State::kLeased, "freed but by its lease");
    }
    ReturnExtent(it->second.offset, it->second.extent);
    slots_.erase(it);
  }
  TellRoomFreed();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const void>> SlotRing::Lease(SlotId id) {
  const void* at = nullptr;
  {
    MutexLock lock(mutex_);
    ASSIGN_OR_RETURN(auto* slot, Find(id, State::kReady, "leased"));
    slot->state = State::kLeased;
    at = memory_.data() + slot->offset;
  }
  return std::shared_ptr<const void>(
      at, [self = shared_from_this(), id](const void*) { self->EndLease(id); });
}

void SlotRing::EndLease(SlotId id) {
  {
    MutexLock lock(mutex_);
    const auto it = slots_.find(id);
    ReturnExtent(it->second.offset, it->second.extent);
    slots_.erase(it);
  }
  TellRoomFreed();
}

// Joins the extent with its free neighbours.
void SlotRing::ReturnExtent(size_t offset, size_t extent) {
  used_ -= extent;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + extent == next->first) {
    extent += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += extent;
      return;
    }
  }
  free_[offset] = extent;
}

void SlotRing::TellRoomFreed() {
  std::function<void()> callback;
  {
    MutexLock lock(mutex_);
    callback = room_freed_;
  }
  if (callback) callback();
}

SlotRingStats SlotRing::stats() const {
  SlotRingStats stats;
  MutexLock lock(mutex_);
  for (const auto& [id, slot] : slots_) {
    stats.granted += slot.state == State::kGranted;
    stats.ready += slot.state == State::kReady;
    if (slot.state != State::kLeased) continue;
    ++stats.leased;
    stats.leased_bytes += slot.extent;
  }
  for (const auto& [offset, extent] : free_) {
    stats.largest_free_bytes = std::max(stats.largest_free_bytes, extent);
  }
  stats.used_bytes = used_;
  stats.peak_bytes = peak_;
  return stats;
}

const char* SlotRing::Name(State state) {
  switch (state) {
    case State::kGranted:
      return "granted";
    case State::kReady:
      return "ready";
    case State::kLeased:
      return "leased";
  }
  return "";
}

absl::StatusOr<SlotRing::Slot*> SlotRing::Find(SlotId id, State wanted,
                                               const char* verb) {
  const auto it = slots_.find(id);
  if (it == slots_.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat("slot ", id, " is free and cannot be ", verb));
  }
  if (it->second.state != wanted) {
    return WrongState(id, it->second.state, verb);
  }
  return &it->second;
}

absl::Status SlotRing::WrongState(SlotId id, State state, const char* verb) {
  return absl::FailedPreconditionError(
      absl::StrCat("slot ", id, " is ", Name(state), " and cannot be ", verb));
}

}  // namespace tributary
