// The part of a budget of all streams that the small messages of one hold.
#ifndef TRIBUTARY_SAMPLER_SERVER_STREAMS_MESSAGE_SHARE_H_
#define TRIBUTARY_SAMPLER_SERVER_STREAMS_MESSAGE_SHARE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "common/runtime/shared_budget.h"
#include "common/text/status.h"

namespace tributary {

// Counts messages that wait, each as its bytes and kMessageBytes. The first
// kFreeBytes of a stream are its own, so that no stream that keeps up fails
// because of others; what exceeds them counts in the stream's share of a
// budget. The bound of all streams is thus the budget's limit and kFreeBytes
// for each open stream. Create with std::make_shared; holds keep it alive.
// Thread-safe.
class MessageShare : public std::enable_shared_from_this<MessageShare> {
 public:
  // Counted for each message beside its bytes: its place in queues, its owner
  // and what the allocator adds.
  static constexpr size_t kMessageBytes = 512;
  static constexpr size_t kFreeBytes = size_t{16} << 10;

  // Counts one message until destroyed. Move-only; not thread-safe.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept
        : share_(std::move(other.share_)),
          free_(std::exchange(other.free_, 0)),
          shared_(std::move(other.shared_)) {}
    Hold& operator=(Hold&& other) noexcept {
      Release();
      share_ = std::move(other.share_);
      free_ = std::exchange(other.free_, 0);
      shared_ = std::move(other.shared_);
      return *this;
    }
    ~Hold() { Release(); }

    void Release() {
      if (share_ != nullptr) share_->free_used_ -= free_;
      share_ = nullptr;
      shared_.Release();
    }

   private:
    friend class MessageShare;
    std::shared_ptr<MessageShare> share_;
    size_t free_ = 0;
    BudgetShare::Hold shared_;
  };

  explicit MessageShare(std::shared_ptr<BudgetShare> share)
      : share_(std::move(share)) {}

  // Counts a message of `bytes`. RESOURCE_EXHAUSTED if neither its own bytes
  // nor its share of the budget have room for it.
  absl::StatusOr<Hold> TryTake(size_t bytes) {
    const size_t cost = bytes + kMessageBytes;
    Hold hold;
    if (free_used_.fetch_add(cost) + cost <= kFreeBytes) {
      hold.share_ = shared_from_this();
      hold.free_ = cost;
      return hold;
    }
    free_used_ -= cost;
    ASSIGN_OR_RETURN(hold.shared_, share_->TryTake(cost));
    return hold;
  }

  // Returns what it holds of the budget, without the bytes of its own.
  const BudgetShare& share() const { return *share_; }

 private:
  const std::shared_ptr<BudgetShare> share_;
  std::atomic<size_t> free_used_{0};
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_STREAMS_MESSAGE_SHARE_H_
