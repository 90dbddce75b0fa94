#include "trainer_client/core/window/batch_window.h"

#include <algorithm>

namespace tributary {

PendingBatch* BatchWindow::Find(uint64_t index) {
  const auto it = std::lower_bound(
      entries_.begin(), entries_.end(), index,
      [](const PendingBatch& batch, uint64_t i) { return batch.index() < i; });
  return it == entries_.end() || it->index() != index ? nullptr : &*it;
}

bool BatchWindow::EvictAbove(uint64_t index) {
  for (auto it = entries_.rbegin();
       it != entries_.rend() && it->index() > index; ++it) {
    if (it->state() != PendingBatch::State::kReady) continue;
    it->Evict();
    return true;
  }
  return false;
}

bool BatchWindow::AnyUnfinished() const {
  return std::any_of(
      entries_.begin(), entries_.end(),
      [](const PendingBatch& batch) { return batch.is_unfinished(); });
}

}  // namespace tributary
