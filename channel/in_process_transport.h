// A transport whose streams connect parts of one process.
#ifndef TRIBUTARY_CHANNEL_IN_PROCESS_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_IN_PROCESS_TRANSPORT_H_

#include <map>
#include <memory>
#include <vector>

#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

struct InProcessOptions {
  // Limit of the headers and payloads that wait in one direction of one stream.
  size_t max_queued_bytes = size_t{256} << 20;
};

// Passes messages by reference: header, payload and room are the sender's own,
// nothing is encoded, and CopyPayload is one memcpy. No CRC is computed, since
// the bytes never leave this process's memory.
//
// The handler of each end is called on a Strand of `executor`. Messages sent
// before a Close still arrive at the other end; an end that has closed receives
// no more messages. Thread-safe.
class InProcessTransport final : public Transport {
 public:
  // `executor` outlives the transport and its streams.
  explicit InProcessTransport(Executor* executor, InProcessOptions options = {})
      : executor_(executor), options_(options) {}
  // Closes the remaining streams with UNAVAILABLE.
  ~InProcessTransport() override;

  // Directs new streams to `address`, which is only a name here, to `acceptor`.
  // Accept is called on the executor.
  void Listen(const Address& address, std::shared_ptr<StreamAcceptor> acceptor);
  // Refuses later streams to `address`; existing streams are not affected.
  void StopListening(const Address& address);

  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override;

 private:
  class Link;
  class End;

  std::shared_ptr<StreamAcceptor> AcceptorAt(const Address& address);
  void Remember(const std::shared_ptr<Link>& link);

  Executor* const executor_;
  const InProcessOptions options_;
  Mutex mutex_;
  std::map<Address, std::shared_ptr<StreamAcceptor>> acceptors_
      ABSL_GUARDED_BY(mutex_);
  std::vector<std::weak_ptr<Link>> links_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_IN_PROCESS_TRANSPORT_H_
