// Requests and their answers over one stream, from the asking side.
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
  // Not changed until the transport has let go of `payload_owner`.
  absl::Span<const uint8_t> payload;
  std::shared_ptr<const void> payload_owner;
};

struct CallReply {
  MessageKind kind{};
  std::string header;
  AlignedBuffer payload;
};

struct CallClientOptions {
  // Calls without an answer yet; one more fails with RESOURCE_EXHAUSTED.
  size_t max_outstanding = 256;
};

// One stream of calls to one server. When the stream breaks, every outstanding
// call fails with the stream's error and so does every later one: make a new
// client. Thread-safe. The destructor closes the stream and fails what is
// outstanding with CANCELLED.
class CallClient {
 public:
  // Names a call of this client; 0 names none.
  using CallId = uint64_t;
  using Done = absl::AnyInvocable<void(absl::StatusOr<CallReply>)>;

  // Opens the stream; an unreachable server shows as failing calls. `transport`
  // is not used later. `executor` outlives the client and its callbacks.
  CallClient(Transport* transport, const Address& address, StreamMethod method,
             Executor* executor, CallClientOptions options = {});
  ~CallClient();
  CallClient(const CallClient&) = delete;
  CallClient& operator=(const CallClient&) = delete;

  // `done` is called exactly once, on the executor, never inside this call:
  // with the answer, or with what the other end answered as CallError,
  // DEADLINE_EXCEEDED, CANCELLED, UNAVAILABLE (stream broken),
  // RESOURCE_EXHAUSTED (too many calls, or an answer whose payload is larger
  // than `max_reply_bytes`), DATA_LOSS (payload damaged: the stream breaks).
  // `deadline` is by the executor's clock, and finite.
  CallId Call(CallRequest request, absl::Time deadline, size_t max_reply_bytes,
              Done done);
  // Fails the call with CANCELLED unless it is over, and tells the server.
  void Cancel(CallId id);
  // Ends the stream; what is outstanding fails with `why`.
  void Close(absl::Status why);

  // False once the stream has broken or was closed.
  bool open() const;
  size_t outstanding() const;
  // Answers that came after their call was over.
  uint64_t late_replies() const;

 private:
  class Core;
  const std::shared_ptr<Core> core_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_CALL_CLIENT_H_
