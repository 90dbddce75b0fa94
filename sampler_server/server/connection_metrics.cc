#include "sampler_server/server/connection_metrics.h"

namespace tributary {

void ConnectionMetrics::Update(const NetworkServer& server) {
  metrics_->AddGauge("tributary_connections", "Connections that are open")
      .Set(static_cast<double>(server.num_connections()));
  metrics_->AddGauge("tributary_streams", "Streams that are open")
      .Set(static_cast<double>(server.num_streams()));
  metrics_->AddGauge("tributary_tcp_streams", "Streams that TCP carries")
      .Set(static_cast<double>(server.num_tcp_streams()));
  MutexLock lock(mutex_);
  Count("tributary_idle_streams_closed_total",
        "Streams that were closed because they were idle", "",
        server.num_idle_streams());
  for (const auto& [reason, count] : server.refused_connections()) {
    Count("tributary_refused_connections_total",
          "Connections that were refused or cut, and streams refused for who "
          "asked for them",
          reason, count);
  }
  auto streams = server.refused_streams();
  for (const char* reason : {"too_many", "caller_share"}) {
    streams.try_emplace(reason, 0);  // shown before the first one
  }
  for (const auto& [reason, count] : streams) {
    Count("tributary_refused_streams_total", "Streams above a limit", reason,
          count);
  }
}

void ConnectionMetrics::Count(const std::string& name, const std::string& help,
                              const std::string& reason, uint64_t total) {
  Metrics::Labels labels;
  if (!reason.empty()) labels["reason"] = reason;
  uint64_t& exported = exported_[{name, reason}];
  metrics_->AddCounter(name, help, labels)
      .Add(static_cast<double>(total - exported));
  exported = total;
}

}  // namespace tributary
