// The calling side of requests and replies over one stream.
//
// A call is a message with an id; the reply carries the same id. Calls overlap
// and may be answered in any order.
#ifndef TRIBUTARY_CHANNEL_CALL_CLIENT_H_
#define TRIBUTARY_CHANNEL_CALL_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "channel/message.h"
#include "channel/transport.h"
#include "common/io/buffer.h"
#include "common/runtime/executor.h"

namespace tributary {

struct CallRequest {
  MessageKind kind{};
  std::string header;  // serialized protobuf
  // Not copied; must not change until `payload_owner` is released.
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
};

struct CallReply {
  MessageKind kind{};
  std::string header;
  AlignedBuffer payload;
};

struct CallClientOptions {
  // Limit of unanswered calls; one more fails with RESOURCE_EXHAUSTED.
  size_t max_outstanding = 256;
};

// One stream of calls to one server. When the stream breaks, every outstanding
// and every later call fails with the stream's error; create a new client then.
// The destructor closes the stream and fails outstanding calls with CANCELLED.
// Thread-safe.
class CallClient {
 public:
  // Identifies a call of this client; 0 identifies none.
  using CallId = uint64_t;
  using Done = absl::AnyInvocable<void(absl::StatusOr<CallReply>)>;

  // Opens the stream; if the server cannot be reached, the calls fail.
  // `transport` is not used after this returns. `executor` outlives the client
  // and its callbacks.
  CallClient(Transport* transport, const Address& address, StreamMethod method,
             Executor* executor, CallClientOptions options = {});
  ~CallClient();
  CallClient(const CallClient&) = delete;
  CallClient& operator=(const CallClient&) = delete;

  // Sends `request` and calls `done` exactly once, on the executor, never
  // inside this call. `done` receives the reply or an error: the one that the
  // server replied (as CallError), DEADLINE_EXCEEDED, CANCELLED, UNAVAILABLE
  // (the stream is broken), RESOURCE_EXHAUSTED (too many calls, or the reply's
  // payload is larger than `max_reply_bytes`), or DATA_LOSS (the payload is
  // damaged; the stream breaks). `deadline` is by the executor's clock and must
  // be finite.
  CallId Call(CallRequest request, absl::Time deadline, size_t max_reply_bytes,
              Done done);
  // Fails the call with CANCELLED, unless it is over, and cancels it at the
  // server.
  void Cancel(CallId id);
  // Closes the stream; outstanding calls fail with `why`.
  void Close(absl::Status why);

  // Returns false once the stream has broken or was closed.
  bool open() const;
  size_t outstanding() const;
  // Returns the number of replies that arrived after their call was over.
  uint64_t late_replies() const;

 private:
  class Core;
  const std::shared_ptr<Core> core_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_CALL_CLIENT_H_
