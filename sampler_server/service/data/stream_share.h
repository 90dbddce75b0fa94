// The part of the data calls' memory that one stream may use.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_DATA_STREAM_SHARE_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_DATA_STREAM_SHARE_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/runtime/byte_budget.h"
#include "common/text/status.h"

namespace tributary {

// Takes bytes for the requests and replies of one stream from the budget of all
// streams, at most a quarter of it at one time: a stream that does not read its
// replies keeps no other one from its calls. Create with std::make_shared;
// holds keep it alive. Thread-safe.
class StreamShare : public std::enable_shared_from_this<StreamShare> {
 public:
  // Bytes that return to the stream's share and to the budget on destruction.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&& other) noexcept = default;
    Hold& operator=(Hold&& other) noexcept {
      Release();
      share_ = std::move(other.share_);
      reservation_ = std::move(other.reservation_);
      return *this;
    }
    ~Hold() { Release(); }

    void Release() {
      if (share_ == nullptr) return;
      share_->used_ -= reservation_.bytes();
      reservation_.Release();
      share_ = nullptr;
    }

   private:
    friend class StreamShare;
    Hold(std::shared_ptr<StreamShare> share, Reservation reservation)
        : share_(std::move(share)), reservation_(std::move(reservation)) {}
    std::shared_ptr<StreamShare> share_;
    Reservation reservation_;
  };

  explicit StreamShare(std::shared_ptr<ByteBudget> budget)
      : budget_(std::move(budget)), limit_(budget_->limit() / 4) {}

  // Takes `bytes` at once. RESOURCE_EXHAUSTED if they do not fit now: the
  // caller tries again when its earlier replies are read. INVALID_ARGUMENT if
  // they exceed the share.
  absl::StatusOr<Hold> TryReserve(size_t bytes) {
    if (bytes > limit_) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a call of ", bytes, " bytes; one stream's share of the ",
          budget_->name(), " is ", limit_, " bytes: ask for fewer rows"));
    }
    if (used_.fetch_add(bytes) + bytes > limit_) {
      used_ -= bytes;
      return absl::ResourceExhaustedError(absl::StrCat(
          "the calls of this stream hold their share, ", limit_,
          " bytes, of the ", budget_->name(), ": read their replies first"));
    }
    auto reservation = budget_->TryReserve(bytes);
    if (!reservation.ok()) {
      used_ -= bytes;
      return reservation.status();
    }
    return Hold(shared_from_this(), *std::move(reservation));
  }

  size_t used() const { return used_; }

 private:
  const std::shared_ptr<ByteBudget> budget_;
  const size_t limit_;
  std::atomic<size_t> used_{0};
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_DATA_STREAM_SHARE_H_
