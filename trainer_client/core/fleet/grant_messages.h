// Translates between grants and the messages of a batch stream.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRANT_MESSAGES_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRANT_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/message.h"
#include "common/proto/trace.pb.h"
#include "trainer_client/core/fleet/credit_request.h"
#include "trainer_client/core/fleet/grant_end.h"

namespace tributary {

// Pure functions over common/proto/wire.proto; they keep no state.

// `spec`: the serialized specification, byte for byte as it was hashed.
OutgoingMessage OpenSessionMessage(std::string_view spec,
                                   std::string_view client);
// The message offers the slot as its room. The server is given at least 1 ms.
OutgoingMessage CreditMessage(uint64_t grant, const CreditRequest& request,
                              absl::Duration timeout);
OutgoingMessage CancelMessage(uint64_t grant);
// `wait_ratio` is rounded to thousandths between 0 and 1.
OutgoingMessage WaitReportMessage(double wait_ratio);

// Of a server's record of one batch: a longer one is dropped.
inline constexpr size_t kMaxTraceBytes = size_t{16} << 10;

// Returns the trace that came with a Frame or Ready; null if none did, or one
// that is too long.
std::shared_ptr<const v1::BatchTrace> TraceOf(v1::BatchTrace trace);

// Parses Ready, Needs, BatchError, UnknownSession and Returned; leaves `slot`
// null and does not compare sizes with it. INTERNAL: another kind of message.
// Returns the error of ParseHeader if the header cannot be read.
absl::StatusOr<GrantEnd> ParseGrantEnd(const IncomingMessage& message);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_GRANT_MESSAGES_H_
