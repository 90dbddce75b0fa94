// Streams of messages between processes: the seam below all client, server and
// peer logic. Three implementations: in process, gRPC, simulated.
//
// A stream is ordered and reliable until it breaks. Loss, reordering and
// doubles happen only across streams; corruption may happen anywhere and is
// found by CRC, which breaks the stream.
#ifndef TRIBUTARY_CHANNEL_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_TRANSPORT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "channel/message.h"
#include "common/fleet/address.h"

namespace tributary {

// What a stream is for; each is one gRPC method of tributary.v1.Sampler.
enum class StreamMethod {
  kBatches,  // trainer -> server: credits out, frames back
  kLeaf,     // server -> peer: SampleHop, Gather; calls that issue no others
  kControl,  // anyone -> server: Describe, GetInputIds
};

// One end of a stream. Thread-safe. Let go of it only after Close or OnClosed;
// dropping the last reference closes it.
class Stream {
 public:
  virtual ~Stream() = default;
  // Queues `message`; never blocks. UNAVAILABLE when the stream has closed;
  // RESOURCE_EXHAUSTED, and the stream breaks, when more than the transport's
  // queue limit would wait. A failed Send is followed by OnClosed.
  virtual absl::Status Send(OutgoingMessage message) = 0;
  // Bytes queued and not yet taken by the network.
  virtual size_t queued_bytes() const = 0;
  // Ends both directions, once; the other end sees `why` where the transport
  // can carry it. OnClosed follows on both ends. What was sent before
  // Close(OK) still arrives; before Close(error) it may be lost. The end that
  // closes hears no more messages, but for one that is being heard.
  virtual void Close(absl::Status why) = 0;
};

// What happens on a stream. The transport calls these one at a time, in order,
// on a thread of its own (gRPC), the executor (in process) or the simulation;
// they must not block. It holds the handler until OnClosed has returned.
class StreamHandler {
 public:
  virtual ~StreamHandler() = default;
  // The next message is not read until this has returned.
  virtual void OnMessage(IncomingMessage& message) = 0;
  // Last, exactly once, also after an own Close. OK: the other end closed
  // without an error. UNAVAILABLE: unreachable or broken; the text names the
  // address.
  virtual void OnClosed(const absl::Status& why) = 0;
};

// The client side. Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  // Never fails at once: a server that cannot be reached is an OnClosed. The
  // handler's calls come after this has returned, or from another thread.
  virtual std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) = 0;
};

// The server side: told of each stream that comes in.
class StreamAcceptor {
 public:
  virtual ~StreamAcceptor() = default;
  // The handler for `stream`, or null to refuse it with `why`. `peer` names
  // the other end in messages. Thread-safe.
  virtual std::shared_ptr<StreamHandler> Accept(StreamMethod method,
                                                std::string peer,
                                                std::shared_ptr<Stream> stream,
                                                absl::Status* why) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TRANSPORT_H_
