// A message that came over a wire, and the room that came beside it.
#ifndef TRIBUTARY_CHANNEL_MESSAGE_WITH_ROOM_H_
#define TRIBUTARY_CHANNEL_MESSAGE_WITH_ROOM_H_

#include <memory>
#include <string_view>
#include <utility>

#include "channel/message.h"

namespace tributary {

class MessageWithRoom final : public IncomingMessage {
 public:
  MessageWithRoom(std::unique_ptr<IncomingMessage> message,
                  std::shared_ptr<SharedRoom> room)
      : message_(std::move(message)), room_(std::move(room)) {}
  MessageKind kind() const override { return message_->kind(); }
  uint64_t call_id() const override { return message_->call_id(); }
  std::string_view header() const override { return message_->header(); }
  size_t payload_size() const override { return message_->payload_size(); }
  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    return message_->CopyPayload(to);
  }
  std::shared_ptr<SharedRoom> room() const override { return room_; }

 private:
  const std::unique_ptr<IncomingMessage> message_;
  const std::shared_ptr<SharedRoom> room_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MESSAGE_WITH_ROOM_H_
