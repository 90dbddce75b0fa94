#include "channel/http/metrics_server.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/http/http_server.h"
#include "channel/tls/refused_connections.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

class MetricsServerImpl final : public MetricsServer {
 public:
  explicit MetricsServerImpl(MetricsServerOptions options)
      : options_(std::move(options)) {}

  absl::Status Listen() {
    HttpServerOptions http;
    http.listen = options_.listen;
    http.tls = options_.tls;
    http.get = [this](const std::string& path, const Identity& client) {
      return Get(path, client);
    };
    ASSIGN_OR_RETURN(http_, HttpServer::Start(std::move(http)));
    return absl::OkStatus();
  }
  const Address& address() const override { return http_->address(); }

 private:
  HttpReply Get(const std::string& path, const Identity& client) const {
    if (path == "/" && options_.page) return options_.page(client);
    if (client.role == Role::kTrainer) {
      const std::string why =
          absl::StrCat(client.ToString(),
                       " may not read this; allowed: operators and samplers");
      RefusedConnections::OfProcess().Add(RefusalReason::kWrongRole,
                                          absl::StrCat("HTTP: ", why));
      return {403, "text/plain", absl::StrCat(why, "\n")};
    }
    if (path == "/metrics" && options_.metrics) {
      return {200, kMetricsType, options_.metrics()};
    }
    if (path == "/healthz") return Health();
    return {404, "text/plain", ThereAre()};
  }

  std::string ThereAre() const {
    if (!options_.metrics) return "there is /healthz\n";
    return absl::StrCat("there are ", options_.page ? "/, " : "",
                        "/metrics and /healthz\n");
  }

  HttpReply Health() const {
    const absl::Status status = options_.health();
    if (status.ok()) return {200, "text/plain", "ok\n"};
    return {503, "text/plain",
            absl::StrCat(std::string(status.message()), "\n")};
  }

  const MetricsServerOptions options_;
  std::unique_ptr<HttpServer> http_;  // destroyed first: it uses the options
};

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(
    MetricsServerOptions options) {
  auto server = std::make_unique<MetricsServerImpl>(std::move(options));
  RETURN_IF_ERROR(server->Listen());
  return server;
}

}  // namespace tributary
