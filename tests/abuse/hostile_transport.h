// The transport of a hostile client, over gRPC or over TCP.
#ifndef TRIBUTARY_TESTS_ABUSE_HOSTILE_TRANSPORT_H_
#define TRIBUTARY_TESTS_ABUSE_HOSTILE_TRANSPORT_H_

#include <CLI/CLI.hpp>
#include <memory>

#include "channel/transports/network_choice.h"

namespace tributary {

struct HostileTransport {
  NetworkTransportOptions options;
  bool tcp = false;

  void AddFlags(CLI::App& app) {
    app.add_flag("--tcp", tcp, "All streams over TCP; default: over gRPC");
    app.add_option("--tls-ca", options.tls.ca);
    app.add_option("--tls-cert", options.tls.cert);
    app.add_option("--tls-key", options.tls.key);
  }
  absl::StatusOr<std::unique_ptr<NetworkTransport>> Make() const {
    if (tcp) return MakeTcpTransport(options);
    return std::make_unique<GrpcTransport>(options);
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_ABUSE_HOSTILE_TRANSPORT_H_
