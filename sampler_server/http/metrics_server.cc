#include "sampler_server/http/metrics_server.h"

#include <CivetServer.h>

#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/runtime/mutex.h"

namespace tributary {
namespace {

constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

bool Reply(mg_connection* connection, int code, const std::string& reason,
           const std::string& type, const std::string& body) {
  const std::string head = absl::StrCat(
      "HTTP/1.1 ", code, " ", reason, "\r\nContent-Type: ", type,
      "\r\nContent-Length: ", body.size(), "\r\nConnection: close\r\n\r\n");
  mg_write(connection, head.data(), head.size());
  mg_write(connection, body.data(), body.size());
  return true;
}

bool ReplyNotFound(mg_connection* connection) {
  return Reply(connection, 404, "Not Found", "text/plain",
               "there are /metrics and /healthz\n");
}

// civetweb's handlers also get what lies below their path.
bool IsFor(mg_connection* connection, std::string_view path) {
  const char* uri = mg_get_request_info(connection)->local_uri;
  return uri != nullptr && uri == path;
}

class MetricsHandler final : public CivetHandler {
 public:
  explicit MetricsHandler(absl::AnyInvocable<std::string()> text)
      : text_(std::move(text)) {}
  bool handleGet(CivetServer*, mg_connection* connection) override {
    if (!IsFor(connection, "/metrics")) return ReplyNotFound(connection);
    MutexLock lock(mutex_);
    return Reply(connection, 200, "OK", kMetricsType, text_());
  }

 private:
  Mutex mutex_;
  absl::AnyInvocable<std::string()> text_ ABSL_GUARDED_BY(mutex_);
};

class HealthHandler final : public CivetHandler {
 public:
  explicit HealthHandler(absl::AnyInvocable<absl::Status()> health)
      : health_(std::move(health)) {}
  bool handleGet(CivetServer*, mg_connection* connection) override {
    if (!IsFor(connection, "/healthz")) return ReplyNotFound(connection);
    absl::Status status;
    {
      MutexLock lock(mutex_);
      status = health_();
    }
    if (status.ok()) return Reply(connection, 200, "OK", "text/plain", "ok\n");
    return Reply(connection, 503, "Service Unavailable", "text/plain",
                 absl::StrCat(std::string(status.message()), "\n"));
  }

 private:
  Mutex mutex_;
  absl::AnyInvocable<absl::Status()> health_ ABSL_GUARDED_BY(mutex_);
};

// Without a document root there are no files to serve: the rest is 404.
class NotFoundHandler final : public CivetHandler {
 public:
  bool handleGet(CivetServer*, mg_connection* connection) override {
    return ReplyNotFound(connection);
  }
};

class CivetMetricsServer final : public MetricsServer {
 public:
  explicit CivetMetricsServer(MetricsServerOptions options)
      : address_(options.listen),
        metrics_(std::move(options.metrics)),
        health_(std::move(options.health)),
        server_(std::vector<std::string>{
            "listening_ports", address_.ToString(), "num_threads", "2",
            "request_timeout_ms", "2000", "max_request_size", "8192",
            "enable_directory_listing", "no"}) {
    server_.addHandler("/", not_found_);
    server_.addHandler("/metrics", metrics_);
    server_.addHandler("/healthz", health_);
    const std::vector<int> ports = server_.getListeningPorts();
    if (!ports.empty()) address_.port = static_cast<uint16_t>(ports.front());
  }
  const Address& address() const override { return address_; }

 private:
  Address address_;
  NotFoundHandler not_found_;
  MetricsHandler metrics_;
  HealthHandler health_;
  CivetServer server_;  // destroyed first: it uses the handlers
};

}  // namespace

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(
    MetricsServerOptions options) {
  const std::string where = options.listen.ToString();
  try {
    return std::make_unique<CivetMetricsServer>(std::move(options));
  } catch (const std::exception& e) {
    return absl::UnavailableError(
        absl::StrCat("cannot serve HTTP on ", where, ": ", e.what()));
  }
}

}  // namespace tributary
