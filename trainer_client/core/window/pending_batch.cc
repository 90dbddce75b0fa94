#include "trainer_client/core/window/pending_batch.h"

#include <algorithm>
#include <utility>

#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Of a batch of which nothing is known.
constexpr uint64_t kLeastRoom = 4096;

}  // namespace

uint64_t PendingBatch::LeastRoom(const Address& server) const {
  if (received_bytes_ != 0) return received_bytes_;
  const auto need = needs_.find(server);
  return need == needs_.end() ? kLeastRoom : need->second;
}

std::vector<Address> PendingBatch::ServersWithNeeds() const {
  std::vector<Address> servers;
  for (const auto& [server, bytes] : needs_) servers.push_back(server);
  return servers;
}

uint64_t PendingBatch::LeastNeed() const {
  if (received_bytes_ != 0) return received_bytes_;
  uint64_t least = needs_.empty() ? kLeastRoom : UINT64_MAX;
  for (const auto& [server, bytes] : needs_) least = std::min(least, bytes);
  return least;
}

void PendingBatch::PassOver() {
  state_ = State::kWanted;
  error_ = absl::UnavailableError("its server is silent");
}

bool PendingBatch::Hedge() {
  if (std::exchange(hedged_, true)) return false;
  state_ = State::kWanted;
  return true;
}

void PendingBatch::Complete(std::shared_ptr<ReceiveSlot> slot, BatchView view,
                            LeftOutBytes left_out) {
  state_ = State::kReady;
  failures_ = 0;
  received_bytes_ = wanted_bytes_ = slot->bytes().size();  // in case of Evict
  slot_ = std::move(slot);
  view_ = std::move(view);
  left_out_ = left_out;
}

// A server that ran out of memory knows only a lower bound: growing by a
// quarter at least from the second time on, where there is as much, bounds how
// often it is asked.
void PendingBatch::NeedRoom(const Address& server, uint64_t bytes,
                            uint64_t granted, uint64_t capacity) {
  uint64_t wanted = bytes;
  if (wanted_bytes_ != 0) wanted = std::max(wanted, granted + granted / 4);
  needs_[server] = AlignUp(bytes, kCacheLine);
  wanted_bytes_ = std::min(AlignUp(wanted, kCacheLine), capacity);
  WantElsewhere(server);
}

void PendingBatch::Retry(const Address& server, absl::Status why,
                         absl::Time not_before) {
  ++failures_;
  not_before_ = not_before;
  error_ = std::move(why);
  WantElsewhere(server);
}

void PendingBatch::AddLost(DeathRecord::Loss loss, absl::Status why) {
  deaths_.AddLost(std::move(loss));
  error_ = std::move(why);
}

void PendingBatch::WantElsewhere(const Address& server) {
  state_ = State::kWanted;
  avoid_ = server;
}

void PendingBatch::Fail(absl::Status error) {
  state_ = State::kFailed;
  error_ = std::move(error);
}

void PendingBatch::Evict() {
  state_ = State::kWanted;
  view_.reset();
  slot_.reset();
}

absl::StatusOr<BatchLease> PendingBatch::TakeLease() {
  ASSIGN_OR_RETURN(std::shared_ptr<const void> room, slot_->Lend());
  return BatchLease(*std::move(view_), std::move(room));
}

}  // namespace tributary
