// A transport whose streams go to servers over gRPC.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_TRANSPORT_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_TRANSPORT_H_

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "channel/network.h"
#include "channel/transport.h"
#include "common/runtime/mutex.h"

namespace grpc {
class Channel;
class ChannelCredentials;
}  // namespace grpc

namespace tributary {

class AcceptedServer;
class ConnectFailures;
class GrpcStream;
template <typename End>
class StreamRegistry;
class GrpcTlsFiles;

// Streams to one address share a connection as long as one of them is open.
// Batch streams have a connection apart from calls, because of their volume. A
// new connection resolves the name again. The transport does not retry; callers
// decide that.
//
// With TLS both ends show a certificate, and a server is accepted only if its
// certificate names a sampler. UNAUTHENTICATED and PERMISSION_DENIED at
// OnClosed say that one end refuses the other, which no retry changes. If the
// files of options.tls cannot be used when the transport is made, all its
// streams close with the error of ReadTlsMaterial, which programs call first.
//
// Handlers are called on gRPC's own threads, which are few and shared by the
// whole process. Thread-safe.
class GrpcTransport final : public NetworkTransport {
 public:
  explicit GrpcTransport(NetworkTransportOptions options = {});
  // As Shutdown.
  ~GrpcTransport() override;

  void Shutdown() override;

  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override;

 private:
  using ChannelKey = std::pair<Address, bool>;  // true: for batch streams

  struct Connection {
    std::shared_ptr<grpc::Channel> channel;
    std::shared_ptr<AcceptedServer> accepted;
  };

  Connection ConnectionTo(const Address& address, bool bulk);
  Connection MakeConnection(const Address& address) const;
  std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(
      const Address& address, std::shared_ptr<AcceptedServer> accepted) const;
  absl::Status Explain(const Address& address, const absl::Status& status,
                       std::shared_ptr<AcceptedServer> accepted);
  void DropUnusedChannels();

  const NetworkTransportOptions options_;
  absl::Status usable_;                      // of options_.tls
  std::unique_ptr<GrpcTlsFiles> tls_files_;  // null: plain text
  Mutex mutex_;
  // gRPC's own threads must not release the last channel of a process: they
  // would join themselves. So the transport keeps a channel until it is unused
  // and another one is in use, or until the transport ends.
  std::map<ChannelKey, Connection> connections_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::shared_ptr<grpc::Channel>> retired_ ABSL_GUARDED_BY(mutex_);
  const std::unique_ptr<ConnectFailures> failures_;
  const std::unique_ptr<StreamRegistry<GrpcStream>> streams_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_TRANSPORT_H_
