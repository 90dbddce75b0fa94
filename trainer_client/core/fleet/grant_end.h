// A server's answer to one grant.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRANT_END_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRANT_END_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "trainer_client/core/fleet/receive_slot.h"

namespace tributary {

// A server's answer to a grant. Each grant ends once: with one of these, or
// with its stream.
struct GrantEnd {
  enum class Kind {
    kFilled,          // the first `bytes` of `slot` hold the batch
    kNeeds,           // the batch needs `bytes`, more than the slot has
    kError,           // `error`, `retryable`, `retry_after`
    kUnknownSession,  // the server does not know the session (any more)
    kReturned,        // the server gave the grant back without a batch
  };
  Kind kind{};
  uint64_t grant = 0;                 // its number on the stream
  uint64_t bytes = 0;                 // kFilled, kNeeds
  uint64_t left_out_bytes = 0;        // kFilled: of them, that did not come
  uint64_t compact_bytes = 0;         // of these: by compact edges
  std::shared_ptr<ReceiveSlot> slot;  // the grant's
  absl::Status error;                 // kError
  bool retryable = false;             // kError
  absl::Duration retry_after;         // kError
  // kFilled: where its time went on the server, if that was asked and it says.
  std::shared_ptr<const v1::BatchTrace> trace;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRANT_END_H_
