// The open streams of a server, and their limits.
#ifndef TRIBUTARY_CHANNEL_GRPC_STREAM_LIMITS_H_
#define TRIBUTARY_CHANNEL_GRPC_STREAM_LIMITS_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "channel/caller.h"
#include "channel/grpc/stream_registry.h"
#include "channel/net/connection_use.h"
#include "common/observe/refusal_counter.h"
#include "common/runtime/shared_budget.h"

namespace tributary {

// Thread-safe.
struct StreamLimits {
  explicit StreamLimits(size_t max_streams)
      : places(SharedBudget::Create("max_streams", max_streams)) {}

  // Null if gRPC's `peer` is not measured.
  std::shared_ptr<ConnectionUse> UseOf(const std::string& peer) const {
    const ConnectionTable* table = connections.load();
    if (table == nullptr) return nullptr;
    return table->Find(ConnectionTable::KeyOfPeer(peer));
  }

  // Takes the place of one stream, or counts the refusal.
  absl::StatusOr<BudgetShare::Hold> TakePlace(const Caller& caller) {
    auto place = places->Open(caller.share_key())->TryTake(1);
    if (!place.ok()) {
      const bool full = places->used() >= places->limit();
      refused.Add(full ? "too_many" : "caller_share",
                  absl::StrCat(caller.address, ": ", place.status().message()));
    }
    return place;
  }

  const std::shared_ptr<SharedBudget> places;
  StreamRegistry registry;
  RefusalCounter refused{"stream"};
  std::atomic<const ConnectionTable*> connections = nullptr;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_STREAM_LIMITS_H_
