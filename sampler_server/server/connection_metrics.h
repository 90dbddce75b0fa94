// Exports what a server counts of its connections and streams.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_CONNECTION_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_CONNECTION_METRICS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "channel/network.h"
#include "common/observe/metrics.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Thread-safe. `metrics` outlives it.
class ConnectionMetrics {
 public:
  explicit ConnectionMetrics(Metrics* metrics) : metrics_(metrics) {}
  // Brings the metrics up to what the server has counted so far.
  void Update(const NetworkServer& server);

 private:
  void Count(const std::string& name, const std::string& help,
             const std::string& reason, uint64_t total)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Metrics* const metrics_;
  Mutex mutex_;
  // By name and reason; counters only grow.
  std::map<std::pair<std::string, std::string>, uint64_t> exported_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_CONNECTION_METRICS_H_
