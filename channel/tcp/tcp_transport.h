// The client's transport over TCP.
#ifndef TRIBUTARY_CHANNEL_TCP_TCP_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_TCP_TCP_TRANSPORT_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/network.h"
#include "channel/tcp/tcp_connector.h"
#include "channel/tcp/tcp_stream.h"
#include "channel/tcp/tcp_stream_set.h"
#include "channel/transport.h"
#include "common/runtime/mutex.h"
#include "common/runtime/thread_pool.h"

namespace tributary {

// Opens a connection for each stream. Host names, but not addresses, are looked
// up on a thread of its own, one after another. The transport does not retry;
// callers decide that. Handlers are called on the threads of a few loops, which
// read payloads straight into StreamHandler::RoomFor.
//
// Thread-safe.
class TcpTransport final : public NetworkTransport {
 public:
  // Returns the errors of SocketLoop::Start, and UNIMPLEMENTED for TLS.
  static absl::StatusOr<std::unique_ptr<TcpTransport>> Start(
      NetworkTransportOptions options = {});
  // As Shutdown; also waits for a name that is being looked up.
  ~TcpTransport() override;

  void Shutdown() override;

  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override;

 private:
  explicit TcpTransport(NetworkTransportOptions options);
  void LookUp(const Address& address, std::shared_ptr<TcpStream> stream,
              SocketLoop* loop);
  void ConnectTo(const Address& address,
                 absl::StatusOr<std::vector<SocketName>> names,
                 std::shared_ptr<TcpStream> stream, SocketLoop* loop);

  const NetworkTransportOptions options_;
  std::unique_ptr<TcpStreamSet> set_;
  Mutex mutex_;
  // Null until a name is to be looked up; it uses set_'s loops.
  std::unique_ptr<ThreadPool> names_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TCP_TRANSPORT_H_
