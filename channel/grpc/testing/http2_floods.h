// Floods of frames that cost an HTTP/2 server more than their sender.
#ifndef TRIBUTARY_CHANNEL_GRPC_TESTING_HTTP2_FLOODS_H_
#define TRIBUTARY_CHANNEL_GRPC_TESTING_HTTP2_FLOODS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/types/span.h"
#include "channel/grpc/testing/raw_http2.h"

namespace tributary::raw_http2 {

struct Flood {
  const char* name;
  // Returns one of the pieces that are sent without end; HTTP/2's preface goes
  // before the first.
  std::function<std::string(int piece)> piece;
  // Limit of the bytes that the server's kernel takes before the server cuts:
  // what its guard allows, and what more arrives until that is given a CPU.
  uint64_t most = uint64_t{32} << 20;
  bool http2 = true;
};

absl::Span<const Flood> AllFloods();

// Sends `flood` until the server cuts, or it has taken 512 MiB. Returns whether
// it has cut.
bool SendUntilCut(Connection& connection, const Flood& flood);

}  // namespace tributary::raw_http2

#endif  // TRIBUTARY_CHANNEL_GRPC_TESTING_HTTP2_FLOODS_H_
