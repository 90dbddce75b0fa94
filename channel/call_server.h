// The serving side of requests and replies over one stream.
//
// Each incoming call is passed to a function together with a responder, which
// sends the reply from any thread.
#ifndef TRIBUTARY_CHANNEL_CALL_SERVER_H_
#define TRIBUTARY_CHANNEL_CALL_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/caller.h"
#include "channel/message.h"
#include "channel/transport.h"
#include "common/io/buffer.h"
#include "common/runtime/cancel_token.h"

namespace tributary {

struct IncomingCall {
  MessageKind kind{};
  std::string header;  // serialized protobuf, not yet parsed
  AlignedBuffer payload;
  CallerPtr caller;
  // Cancelled when the caller stops waiting or the stream breaks.
  CancelToken cancel;
};

struct CallAnswer {
  MessageKind kind{};
  std::string header;
  // Not copied; must not change until `payload_owner` is released.
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
};

namespace call_internal {
class CallServer;
}

// Answers one call, once, on any thread. After the stream has broken the answer
// is dropped. If the responder is destroyed unused, the call is answered with
// INTERNAL. Move-only.
class CallResponder {
 public:
  CallResponder(std::shared_ptr<call_internal::CallServer> server, uint64_t id);
  ~CallResponder();
  CallResponder(CallResponder&&) = default;
  CallResponder& operator=(CallResponder&&) = delete;

  // Requires that it was neither called before nor moved from. An error is sent
  // as CallError; so is an answer that exceeds the envelope's limits.
  void operator()(absl::StatusOr<CallAnswer> answer);

 private:
  std::shared_ptr<call_internal::CallServer> server_;  // null: answered
  uint64_t id_;
};

struct CallServerOptions {
  // Limit of unanswered calls of one stream; one more is answered with
  // RESOURCE_EXHAUSTED.
  size_t max_concurrent = 64;
  size_t max_request_bytes = size_t{4} << 20;  // of a payload
  size_t max_header_bytes = size_t{64} << 10;  // of a request
};

// Called on the transport's thread; must not block, so it posts its work.
using CallFunction = std::function<void(IncomingCall, CallResponder)>;

// Returns a handler that serves calls on `stream`, for StreamAcceptor::Accept
// of kLeaf and kControl streams. `caller` is passed on with each call.
std::shared_ptr<StreamHandler> ServeCalls(std::shared_ptr<Stream> stream,
                                          CallerPtr caller,
                                          CallFunction function,
                                          CallServerOptions options = {});

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_CALL_SERVER_H_
