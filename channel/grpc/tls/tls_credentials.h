// gRPC's credentials of both ends: mutual TLS by watched files, or plain text.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_TLS_CREDENTIALS_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_TLS_CREDENTIALS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "channel/grpc/tls/identity_verifier.h"
#include "channel/grpc/tls/watched_tls_files.h"

namespace tributary {

// Requires a client's certificate of an authority in `files`, with an identity
// (identity.h), and TLS 1.3, unless the process used TLS before or has its own
// GRPC_SSL_CIPHER_SUITES in the environment. Null `files`: plain text. New
// connections follow the files as long as they live; the credentials may live
// longer.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const WatchedTlsFiles* files);

// Requires that the server's certificate is of an authority in `files` and
// names a sampler, whatever host it was dialled by, and marks `accepted` when a
// handshake has shown one. Null `files`: plain text.
std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(
    const WatchedTlsFiles* files, std::shared_ptr<AcceptedServer> accepted);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_TLS_CREDENTIALS_H_
