// The client's transport over TCP.
#ifndef TRIBUTARY_CHANNEL_TCP_TCP_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_TCP_TCP_TRANSPORT_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/network.h"
#include "channel/tcp/tcp_connector.h"
#include "channel/tcp/tcp_stream.h"
#include "channel/tcp/tcp_stream_set.h"
#include "channel/tls/tls_connection.h"
#include "channel/tls/tls_context.h"
#include "channel/transport.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"
#include "common/runtime/thread_pool.h"

namespace tributary {

// Opens a connection for each stream. Host names, but not addresses, are looked
// up on threads of their own, a few at a time. The transport does not retry;
// callers decide that. Handlers are called on the threads of a few loops, which
// read payloads straight into StreamHandler::RoomFor.
//
// With TLS both ends show a certificate, and a server is accepted only if its
// certificate names a sampler. UNAUTHENTICATED and PERMISSION_DENIED at
// OnClosed say that one end refuses the other, which no retry changes.
//
// Thread-safe.
class TcpTransport final : public NetworkTransport {
 public:
  // Returns the errors of SocketLoop::Start and of ReadTlsMaterial.
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
  void Connected(TcpStream& stream, bool plain,
                 absl::StatusOr<UniqueFd> socket);

  const NetworkTransportOptions options_;
  std::unique_ptr<TcpStreamSet> set_;
  Mutex mutex_;
  std::optional<ReloadedTls> tls_ ABSL_GUARDED_BY(mutex_);  // plain text: none
  // Null until a name is to be looked up; it uses set_'s loops.
  std::unique_ptr<ThreadPool> names_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TCP_TRANSPORT_H_
