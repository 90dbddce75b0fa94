// A hostile client that knows bytes alone: sends every flood of HTTP/2 and of
// streams over TCP in turn, each until the server cuts it, on connections of
// its own, until it is ended. Prints "ready" once the first flood was cut.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "channel/grpc/testing/http2_floods.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/tcp/first_bytes.h"
#include "channel/tcp/testing/tcp_floods.h"
#include "common/identity/tls_files.h"

namespace tributary {
namespace {

int Main(int argc, char** argv) {
  CLI::App app("A hostile client that floods");
  uint16_t port = 0;
  std::string source = "127.0.0.66";
  TlsFiles tls;
  app.add_option("--port", port, "The server's, of 127.0.0.1")->required();
  app.add_option("--source", source, "Its own address, of 127.0.0.0/8");
  app.add_option("--tls-ca", tls.ca);
  app.add_option("--tls-cert", tls.cert);
  app.add_option("--tls-key", tls.key);
  CLI11_PARSE(app, argc, argv);
  std::vector<raw_http2::Flood> floods;
  for (const auto& some : {raw_http2::AllFloods(), AllTcpFloods()}) {
    floods.insert(floods.end(), some.begin(), some.end());
  }
  for (uint64_t cut = 0;;) {
    for (const raw_http2::Flood& flood : floods) {
      raw_http2::Connection connection(
          port, source.c_str(), tls.empty() ? nullptr : &tls,
          flood.http2 ? absl::string_view("h2") : kTcpAlpn);
      if (!connection.connected()) continue;  // it is full
      if (!raw_http2::SendUntilCut(connection, flood)) {
        std::fprintf(stderr, "%s was not cut\n", flood.name);
        return 1;
      }
      if (++cut > 1) continue;
      std::printf("ready\n");
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) { return tributary::Main(argc, argv); }
