// Floods of messages that no stream over TCP needs.
#ifndef TRIBUTARY_CHANNEL_TCP_TESTING_TCP_FLOODS_H_
#define TRIBUTARY_CHANNEL_TCP_TESTING_TCP_FLOODS_H_

#include "absl/types/span.h"
#include "channel/grpc/testing/http2_floods.h"

namespace tributary {

// Each begins with the opening of a stream of batches, where its name does not
// say otherwise.
absl::Span<const raw_http2::Flood> AllTcpFloods();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TESTING_TCP_FLOODS_H_
