// A stream of calls that a script drives, and checks of the replies.
#ifndef TRIBUTARY_TESTS_FUZZ_CALLER_H_
#define TRIBUTARY_TESTS_FUZZ_CALLER_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "channel/envelope.h"
#include "channel/parse_header.h"
#include "common/proto/wire.pb.h"
#include "tests/fuzz/must.h"
#include "tests/fuzz/service_world.h"

namespace tributary {

// One stream of calls. Checks that no call gets more replies than one, or
// larger ones than it asked for.
class FuzzCaller {
 public:
  // Returns the largest payload that a request allows its reply.
  using MaxReplyBytes = uint64_t (*)(const OutgoingMessage&);

  FuzzCaller(std::shared_ptr<RawClient> client, MaxReplyBytes max_reply_bytes)
      : client_(std::move(client)), max_reply_bytes_(max_reply_bytes) {
    client_->heard = [this](IncomingMessage& message) { Hear(message); };
  }
  ~FuzzCaller() { client_->heard = nullptr; }

  void Send(OutgoingMessage message) {
    if (!CheckEnvelopeLimits(message).ok()) return;
    last_ = message;
    Pending& pending = pending_[message.call_id];
    if (message.kind != MessageKind::kCancel) ++pending.asked;
    pending.max_bytes = std::max(pending.max_bytes, max_reply_bytes_(message));
    client_->Send(std::move(message));
  }
  void Repeat(uint64_t times, uint64_t* next_id) {
    for (; last_.has_value() && times > 0; --times) {
      OutgoingMessage again(*last_);
      if (next_id != nullptr) again.call_id = (*next_id)++;
      Send(std::move(again));
    }
  }
  void Close() { client_->Close(); }

  // Returns an upper limit of what this object keeps of its calls.
  size_t held_bytes() const {
    constexpr size_t kNodeBytes = 64;
    return pending_.size() * (sizeof(Pending) + kNodeBytes) +
           (last_ ? 2 * last_->header.capacity() + last_->payload.size() : 0) +
           1024;
  }

 private:
  struct Pending {
    uint64_t asked = 0;
    uint64_t answered = 0;
    uint64_t max_bytes = 0;  // of a reply
  };

  void Hear(IncomingMessage& message) {
    Pending& pending = pending_[message.call_id()];
    Must(++pending.answered <= pending.asked, "one answer to one call");
    Must(message.payload_size() <= pending.max_bytes,
         "no more than it asked for");
    if (message.kind() == MessageKind::kCallError) {
      const auto error = ParseHeader<v1::CallError>(message);
      Must(error.ok() && error->code() != 0, "an error has a code");
    }
  }

  const std::shared_ptr<RawClient> client_;
  const MaxReplyBytes max_reply_bytes_;
  std::optional<OutgoingMessage> last_;
  std::map<uint64_t, Pending> pending_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_FUZZ_CALLER_H_
