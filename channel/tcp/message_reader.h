// Reads messages from a socket, payloads straight to where they stay.
#ifndef TRIBUTARY_CHANNEL_TCP_MESSAGE_READER_H_
#define TRIBUTARY_CHANNEL_TCP_MESSAGE_READER_H_

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/envelope.h"
#include "channel/message.h"
#include "channel/transport.h"

namespace tributary {

// Turns the bytes that arrive on a non-blocking socket into messages, whatever
// the pieces they arrive in. Prefixes, headers and payloads that arrive with
// them go through a buffer of kBufferBytes; the rest of a larger payload is
// read into the room that the sink names, and its CRC is computed on each piece
// while that is in the cache.
//
// Holds at most one unfinished message, and nothing of those before. Memory of
// its own for a header or a payload is not touched before bytes for it have
// arrived, so that a claim of many costs nothing. Not thread-safe: used on the
// thread of a stream's loop.
class MessageReader {
 public:
  // Takes what is read.
  class Sink {
   public:
    virtual ~Sink() = default;
    // As StreamHandler::RoomFor.
    virtual PayloadRoom RoomFor(const IncomingMessage& message) = 0;
    // Takes a whole message, in order. An error ends the reading.
    virtual absl::Status TakeMessage(IncomingMessage& message) = 0;
  };
  // Reads as readv does: returns its result and sets errno.
  using Read = absl::FunctionRef<ssize_t(absl::Span<iovec> pieces)>;
  enum class ReadResult {
    kNothing,  // no byte has arrived; the loop reports when one does
    kEnded,    // the other end has closed, or the connection broke: see errno
    kPart,     // bytes were read and more may be there
    kDrained,  // all bytes that had arrived were read
  };

  static constexpr size_t kBufferBytes = size_t{16} << 10;
  // Bytes of a payload that one read takes, few enough to stay in a cache until
  // their CRC is computed.
  static constexpr size_t kReadAtOnce = size_t{256} << 10;

  // Reads once and passes what is whole to `sink`. Returns DATA_LOSS or
  // FAILED_PRECONDITION for bytes that are no message of this wire version,
  // INTERNAL for a room of a wrong size, and the errors of TakeMessage; after
  // any of them nothing more can be read.
  absl::StatusOr<ReadResult> ReadFrom(Read read, Sink& sink);

  // Forgets an unfinished message, and lets go of its room.
  void Drop();

 private:
  size_t buffered() const { return end_ - begin_; }
  void MakeRoom();
  void ShrinkBuffer();
  absl::Status HandleBuffered(Sink& sink);
  absl::StatusOr<bool> BeginMessage(Sink& sink);
  absl::Status BeginPayload(std::string_view header, Sink& sink);
  void TakeBufferedPayload();
  absl::Status EndPayload(Sink& sink);

  std::vector<uint8_t> buffer_;
  size_t begin_ = 0, end_ = 0;   // the bytes of buffer_ that are not handled
  size_t incomplete_bytes_ = 0;  // of prefix and header that begin there

  // The message of which the payload is being read.
  bool in_payload_ = false;
  EnvelopeHead head_;
  std::string header_;
  PayloadRoom room_;  // or own_
  std::unique_ptr<uint8_t[]> own_;
  absl::Span<uint8_t> payload_;
  size_t payload_read_ = 0;
  uint32_t crc_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_MESSAGE_READER_H_
