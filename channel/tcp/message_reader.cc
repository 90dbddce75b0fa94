#include "channel/tcp/message_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using ReadResult = MessageReader::ReadResult;

// A message whose header has been checked and whose payload, if it has been
// read, lies in memory.
class ArrivedMessage final : public IncomingMessage {
 public:
  ArrivedMessage(const EnvelopeHead& head, std::string_view header)
      : head_(head), header_(header) {}

  void set_payload(absl::Span<const uint8_t> payload, uint32_t crc) {
    payload_ = payload;
    crc_ = crc;
  }

  MessageKind kind() const override { return head_.kind; }
  uint64_t call_id() const override { return head_.call_id; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return head_.payload_bytes; }
  std::shared_ptr<SharedRoom> room() const override { return nullptr; }

  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    if (to.size() != payload_.size() || to.size() != payload_size()) {
      return absl::InternalError(
          absl::StrCat("payload of ", MessageKindName(kind()), ": copy of ",
                       to.size(), " bytes asked for, there are ",
                       payload_.size(), " of ", payload_size()));
    }
    RETURN_IF_ERROR(CheckPayloadCrc(head_, crc_));
    if (to.data() != payload_.data() && !to.empty()) {
      std::memcpy(to.data(), payload_.data(), to.size());
    }
    return absl::OkStatus();
  }

 private:
  const EnvelopeHead& head_;
  const std::string_view header_;
  absl::Span<const uint8_t> payload_;
  uint32_t crc_ = 0;
};

}  // namespace

absl::StatusOr<ReadResult> MessageReader::ReadFrom(Read read, Sink& sink) {
  iovec pieces[2];
  size_t n = 0;
  size_t of_payload = 0;
  if (in_payload_) {
    of_payload = std::min(payload_.size() - payload_read_, kReadAtOnce);
    pieces[n++] = {payload_.data() + payload_read_, of_payload};
  }
  size_t asked = of_payload;
  if (payload_read_ + of_payload == payload_.size()) {  // 0 of 0: no payload
    MakeRoom();
    pieces[n++] = {buffer_.data() + end_, buffer_.size() - end_};
    asked += buffer_.size() - end_;
  }
  const ssize_t got = read(absl::MakeSpan(pieces, n));
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    return ReadResult::kNothing;
  }
  if (got < 0 && errno == EINTR) return ReadResult::kPart;
  if (got <= 0) {
    if (got == 0) errno = 0;
    return ReadResult::kEnded;
  }
  const size_t bytes = static_cast<size_t>(got);
  const size_t to_payload = std::min(bytes, of_payload);
  crc_ = ExtendCrc32c(crc_, payload_.subspan(payload_read_, to_payload));
  payload_read_ += to_payload;
  end_ += bytes - to_payload;
  RETURN_IF_ERROR(HandleBuffered(sink));
  ShrinkBuffer();
  return bytes < asked ? ReadResult::kDrained : ReadResult::kPart;
}

// Moves what is not handled to the front. The buffer grows, for a header larger
// than it, only when it is full, so with the bytes that have arrived.
void MessageReader::MakeRoom() {
  if (begin_ > 0 && begin_ < end_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
  }
  end_ -= std::exchange(begin_, 0);
  if (buffer_.empty()) {
    buffer_.resize(kBufferBytes);
  } else if (end_ == buffer_.size()) {
    buffer_.resize(std::min(incomplete_bytes_, 2 * buffer_.size()));
  }
}

// A buffer that grew for a large header goes with it: an idle stream keeps
// none.
void MessageReader::ShrinkBuffer() {
  if (buffer_.size() <= kBufferBytes || incomplete_bytes_ > kBufferBytes ||
      buffered() > kBufferBytes) {
    return;
  }
  std::vector<uint8_t> smaller(kBufferBytes);
  std::memcpy(smaller.data(), buffer_.data() + begin_, buffered());
  buffer_.swap(smaller);
  end_ = buffered();
  begin_ = 0;
}

absl::Status MessageReader::HandleBuffered(Sink& sink) {
  while (true) {
    if (!in_payload_) {
      ASSIGN_OR_RETURN(const bool more, BeginMessage(sink));
      if (!more) return absl::OkStatus();
      continue;
    }
    TakeBufferedPayload();
    if (payload_read_ < payload_.size()) return absl::OkStatus();
    RETURN_IF_ERROR(EndPayload(sink));
  }
}

// Handles the message that begins in the buffer, or begins with its payload;
// returns false if more bytes are needed for that.
absl::StatusOr<bool> MessageReader::BeginMessage(Sink& sink) {
  incomplete_bytes_ = 0;
  if (buffered() < kEnvelopePrefixBytes) return false;
  EnvelopePrefix prefix;
  std::memcpy(prefix.data(), buffer_.data() + begin_, prefix.size());
  ASSIGN_OR_RETURN(head_, ReadEnvelopePrefix(prefix));
  const size_t whole = prefix.size() + head_.header_bytes;
  if (buffered() < whole) {
    incomplete_bytes_ = whole;
    return false;
  }
  const std::string_view header(
      reinterpret_cast<const char*>(buffer_.data() + begin_ + prefix.size()),
      head_.header_bytes);
  RETURN_IF_ERROR(CheckEnvelopeHeader(prefix, header));
  begin_ += whole;
  if (buffered() < head_.payload_bytes) {
    RETURN_IF_ERROR(BeginPayload(header, sink));
    return true;
  }
  const auto payload =
      absl::MakeConstSpan(buffer_).subspan(begin_, head_.payload_bytes);
  begin_ += payload.size();
  ArrivedMessage message(head_, header);
  message.set_payload(payload, Crc32c(payload));
  RETURN_IF_ERROR(sink.TakeMessage(message));
  return true;
}

absl::Status MessageReader::BeginPayload(std::string_view header, Sink& sink) {
  header_ = std::string(header);
  const ArrivedMessage message(head_, header_);
  room_ = sink.RoomFor(message);
  payload_ = room_.bytes;
  if (payload_.empty()) {
    own_.reset(new uint8_t[head_.payload_bytes]);
    payload_ = absl::MakeSpan(own_.get(), head_.payload_bytes);
  } else if (payload_.size() != head_.payload_bytes) {
    return absl::InternalError(absl::StrCat("a room of ", payload_.size(),
                                            " bytes for a payload of ",
                                            head_.payload_bytes));
  }
  payload_read_ = 0;
  crc_ = 0;
  in_payload_ = true;
  return absl::OkStatus();
}

void MessageReader::TakeBufferedPayload() {
  const size_t bytes = std::min(buffered(), payload_.size() - payload_read_);
  crc_ =
      CopyWithCrc32c(crc_, absl::MakeConstSpan(buffer_).subspan(begin_, bytes),
                     payload_.data() + payload_read_);
  begin_ += bytes;
  payload_read_ += bytes;
}

absl::Status MessageReader::EndPayload(Sink& sink) {
  ArrivedMessage message(head_, header_);
  message.set_payload(payload_, crc_);
  const absl::Status taken = sink.TakeMessage(message);
  Drop();
  return taken;
}

void MessageReader::Drop() {
  in_payload_ = false;
  payload_ = {};
  payload_read_ = 0;
  std::string().swap(header_);
  own_.reset();
  room_ = {};
}

}  // namespace tributary
