// The places of a server's open streams, whatever carries them.
#ifndef TRIBUTARY_CHANNEL_NET_STREAM_PLACES_H_
#define TRIBUTARY_CHANNEL_NET_STREAM_PLACES_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/observe/refusal_counter.h"
#include "common/runtime/shared_budget.h"

namespace tributary {

// Limits streams in all and shares them by caller. Thread-safe.
class StreamPlaces {
 public:
  explicit StreamPlaces(size_t max_streams)
      : places_(SharedBudget::Create("max_streams", max_streams)) {}

  // Takes the place of one stream, or counts the refusal. `share_key` is the
  // caller's (Caller::share_key), `address` names it in the log.
  absl::StatusOr<BudgetShare::Hold> Take(const std::string& share_key,
                                         const std::string& address) {
    auto place = places_->Open(share_key)->TryTake(1);
    if (!place.ok()) {
      const bool full = places_->used() >= places_->limit();
      refused_.Add(full ? "too_many" : "caller_share",
                   absl::StrCat(address, ": ", place.status().message()));
    }
    return place;
  }
  // The refusals so far, by reason.
  const RefusalCounter& refused() const { return refused_; }

 private:
  const std::shared_ptr<SharedBudget> places_;
  RefusalCounter refused_{"stream"};
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NET_STREAM_PLACES_H_
