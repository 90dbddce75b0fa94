// Takes in the messages of one trainer's batch stream and parses them.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_TRAINER_INBOX_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_TRAINER_INBOX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/message.h"
#include "common/proto/wire.pb.h"
#include "sampler_server/streams/message_share.h"

namespace tributary {

// A Credit with what travels beside its header.
struct CreditMessage {
  v1::Credit credit;
  std::vector<uint8_t> payload;      // of a credit for links
  std::shared_ptr<SharedRoom> room;  // the trainer's slot; null: none was lent
};

// All that a trainer may send.
using TrainerMessage =
    std::variant<v1::OpenSession, CreditMessage, v1::Cancel, v1::WaitReport>;

// A message that has been copied and waits to be handled. Counts in its inbox
// until destroyed.
class QueuedMessage {
 public:
  // INVALID_ARGUMENT when the kind does not belong on a batch stream or the
  // header is not of its kind. At most once.
  absl::StatusOr<TrainerMessage> Parse();

 private:
  friend class TrainerInbox;
  MessageKind kind_{};
  std::string header_;
  std::vector<uint8_t> payload_;
  std::shared_ptr<SharedRoom> room_;
  std::shared_ptr<const void> share_;  // of the inbox's limits
  MessageShare::Hold hold_;            // of all inboxes' limit
};

// Bounds the messages that were received and not handled yet, of its stream and
// of all streams together. Take is called by
// one thread at a time, as StreamHandler::OnMessage is; received messages may
// be destroyed on any thread, also after the inbox.
class TrainerInbox {
 public:
  static constexpr size_t kMaxMessages = 8192;
  static constexpr size_t kMaxBytes = size_t{16} << 20;  // headers and payloads

  // `share`: of the budget of all inboxes; null: only the stream's own limits
  // hold.
  explicit TrainerInbox(std::shared_ptr<MessageShare> share = nullptr)
      : share_(std::move(share)) {}

  // Copies `message`. INVALID_ARGUMENT for a payload beside anything but a
  // Credit; RESOURCE_EXHAUSTED above the limits; DATA_LOSS when the payload's
  // CRC is wrong. The stream is to be closed after an error.
  absl::StatusOr<QueuedMessage> Take(IncomingMessage& message);

 private:
  struct Counts {
    std::atomic<size_t> messages{0};
    std::atomic<size_t> bytes{0};
  };
  // Counts a message of `bytes` until the result is destroyed.
  std::shared_ptr<const void> Count(size_t bytes);

  const std::shared_ptr<MessageShare> share_;
  const std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_TRAINER_INBOX_H_
