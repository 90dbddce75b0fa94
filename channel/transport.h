// The interfaces of streams of messages between processes. All client, server
// and peer logic is written on them. Implementations: in process, shared
// memory, gRPC, TCP, and simulated for tests.
//
// A stream is ordered and reliable until it breaks. Loss, reordering and
// duplicates happen only across streams; corruption may happen anywhere, is
// detected by CRC and breaks the stream.
#ifndef TRIBUTARY_CHANNEL_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_TRANSPORT_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "channel/caller.h"
#include "channel/message.h"
#include "common/fleet/address.h"

namespace tributary {

// The purpose of a stream; each is one gRPC method of tributary.v1.Sampler.
enum class StreamMethod {
  kBatches,  // trainer -> server: credits out, frames back
  kLeaf,     // server -> peer: SampleHop, Gather, Question; none issues others
  kControl,  // anyone -> server: Describe, GetInputIds, Farewell
  kData,     // trainer -> server: mutable rows, and reads of the graph
};

// One end of a stream. Release it only after Close or OnClosed: dropping the
// last reference closes the stream, with CANCELLED. Thread-safe.
class Stream {
 public:
  virtual ~Stream() = default;
  // Queues `message`; never blocks. Returns UNAVAILABLE if the stream has
  // closed. Returns RESOURCE_EXHAUSTED, and breaks the stream, if more bytes
  // than the transport's queue limit would wait. OnClosed follows a failed
  // Send.
  virtual absl::Status Send(OutgoingMessage message) = 0;
  // Returns the bytes that are queued and not yet taken by the network.
  virtual size_t queued_bytes() const = 0;
  // Ends both directions; later calls do nothing. The other end receives `why`
  // where the transport can carry it. OnClosed follows on both ends. Messages
  // sent before Close(OK) still arrive; before Close(error) they may be lost.
  // The end that closes receives no more messages after an OnMessage that is
  // running.
  virtual void Close(absl::Status why) = 0;
};

// The memory that a payload is to be read into.
struct PayloadRoom {
  absl::Span<uint8_t> bytes;
  // Keeps `bytes` valid. The transport holds it while it may still write there:
  // until OnMessage or OnClosed has returned.
  std::shared_ptr<const void> owner;
};

// Receives the events of a stream. The transport calls the methods one at a
// time, in order: on a thread of its own (gRPC, shared memory, TCP), on the
// executor (in process) or on the simulation's thread. They must not block. The
// transport keeps the handler alive until OnClosed has returned.
class StreamHandler {
 public:
  virtual ~StreamHandler() = default;
  // Says where the payload of `message`, of which it has not been read, shall
  // go: payload_size() bytes, or none, and then the transport has memory of its
  // own. A transport that reads from a socket itself calls it before OnMessage
  // of the same message, where CopyPayload to the same memory copies nothing
  // and tells whether the bytes are good: until then they may be anything.
  // Others do not call it. OnMessage does not follow if the stream breaks. Must
  // not call CopyPayload.
  virtual PayloadRoom RoomFor(const IncomingMessage& /*message*/) { return {}; }
  // The next message is not read until this has returned.
  virtual void OnMessage(IncomingMessage& message) = 0;
  // The last call, exactly once, also after this end's own Close. OK: the other
  // end closed without an error. UNAVAILABLE: the server is unreachable or the
  // stream broke; the text names the address.
  virtual void OnClosed(const absl::Status& why) = 0;
};

// Opens streams to servers: the client side. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  // Tells what the server at `address` has said of itself: the number that
  // differs at each of its starts, and whether it takes streams of channel/tcp.
  // For a transport that has the choice.
  virtual void NoteTakesTcp(const Address& /*address*/,
                            uint64_t /*incarnation*/, bool /*takes*/) {}
  // Opens a stream to the server at `address`. Never fails at once: OnClosed
  // reports a server that cannot be reached. The handler is called after this
  // has returned, or from another thread.
  virtual std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) = 0;
};

// Accepts incoming streams: the server side. Thread-safe.
class StreamAcceptor {
 public:
  virtual ~StreamAcceptor() = default;
  // Returns the handler for `stream`, or null to refuse it with `*why`.
  // `caller` is the other end, never null.
  virtual std::shared_ptr<StreamHandler> Accept(StreamMethod method,
                                                CallerPtr caller,
                                                std::shared_ptr<Stream> stream,
                                                absl::Status* why) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TRANSPORT_H_
