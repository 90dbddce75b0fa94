// The metrics of the graphs of a server.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_METRICS_H_

#include <set>
#include <string>
#include <vector>

#include "common/observe/metrics.h"
#include "common/runtime/mutex.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

// Gauges of each graph that is served, by its NAME@VERSION; those of one that
// is dropped go with it. Thread-safe.
class GraphMetrics {
 public:
  // `metrics` outlives this.
  explicit GraphMetrics(Metrics* metrics) : metrics_(metrics) {}

  // Brings the gauges up to date. Several layouts of a version count together.
  void Update(const std::vector<GraphState>& graphs);

 private:
  Metrics* const metrics_;
  Mutex mutex_;
  std::set<std::string> exported_ ABSL_GUARDED_BY(mutex_);  // names
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_METRICS_H_
