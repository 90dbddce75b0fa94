// The client's transport over gRPC and TCP.
#ifndef TRIBUTARY_CHANNEL_TRANSPORTS_CARRIER_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_TRANSPORTS_CARRIER_TRANSPORT_H_

#include <cstdint>
#include <memory>

#include "channel/grpc/grpc_transport.h"
#include "channel/network.h"
#include "channel/tcp/tcp_transport.h"
#include "channel/transports/carrier_book.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Opens each stream over what CarrierBook chooses. Calls of kControl are
// gRPC's. The part for TCP is made with the first stream that it carries; if it
// cannot be made, gRPC carries all, and the log says why. Thread-safe.
class CarrierTransport final : public NetworkTransport {
 public:
  explicit CarrierTransport(const NetworkTransportOptions& options);
  // As Shutdown.
  ~CarrierTransport() override;

  void NoteTakesTcp(const Address& address, uint64_t incarnation,
                    bool takes) override;
  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override;
  void Shutdown() override;

 private:
  class Watched;
  // Shared with the streams until they have ended.
  struct Book {
    explicit Book(Carrier carrier) : book(carrier) {}
    Mutex mutex;
    CarrierBook book ABSL_GUARDED_BY(mutex);
  };

  // Returns null if streams cannot be carried over TCP.
  TcpTransport* Tcp();

  const NetworkTransportOptions options_;
  const std::shared_ptr<Book> book_;
  GrpcTransport grpc_;
  Mutex mutex_;
  bool shut_down_ ABSL_GUARDED_BY(mutex_) = false;
  bool tried_tcp_ ABSL_GUARDED_BY(mutex_) = false;
  // Not replaced once it is made.
  std::unique_ptr<TcpTransport> tcp_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TRANSPORTS_CARRIER_TRANSPORT_H_
