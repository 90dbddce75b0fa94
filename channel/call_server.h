// Requests and their answers over one stream, from the answering side.
#ifndef TRIBUTARY_CHANNEL_CALL_SERVER_H_
#define TRIBUTARY_CHANNEL_CALL_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/message.h"
#include "channel/transport.h"
#include "common/io/buffer.h"
#include "common/runtime/cancel_token.h"

namespace tributary {

struct IncomingCall {
  MessageKind kind{};
  std::string header;  // serialized protobuf, not yet parsed
  AlignedBuffer payload;
  std::string peer;
  // Cancelled when the caller no longer waits or the stream has broken.
  CancelToken cancel;
};

struct CallAnswer {
  MessageKind kind{};
  std::string header;
  // Not changed until the transport has let go of `payload_owner`.
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
};

namespace call_internal {
class CallServer;
}

// Answers one call, once; from any thread, also after the stream has broken. A
// call whose responder is dropped unused is answered with INTERNAL. Move-only.
class CallResponder {
 public:
  CallResponder(std::shared_ptr<call_internal::CallServer> server, uint64_t id);
  ~CallResponder();
  CallResponder(CallResponder&&) = default;
  CallResponder& operator=(CallResponder&&) = delete;

  // Requires that it was not called before, nor moved from. An error travels as
  // CallError; so does an answer beyond the envelope's limits.
  void operator()(absl::StatusOr<CallAnswer> answer);

 private:
  std::shared_ptr<call_internal::CallServer> server_;  // null: answered
  uint64_t id_;
};

struct CallServerOptions {
  // Calls in work for one stream; one more is answered RESOURCE_EXHAUSTED.
  size_t max_concurrent = 64;
  size_t max_request_bytes = size_t{4} << 20;  // of a payload
  size_t max_header_bytes = size_t{64} << 10;  // of a request
};

// Called on the transport's thread: must not block; post the work.
using CallFunction = std::function<void(IncomingCall, CallResponder)>;

// The handler of a kLeaf or kControl stream, for StreamAcceptor::Accept.
std::shared_ptr<StreamHandler> ServeCalls(std::shared_ptr<Stream> stream,
                                          std::string peer,
                                          CallFunction function,
                                          CallServerOptions options = {});

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_CALL_SERVER_H_
