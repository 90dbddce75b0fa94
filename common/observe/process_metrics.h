// Metrics of the process itself, and of its build.
#ifndef TRIBUTARY_COMMON_OBSERVE_PROCESS_METRICS_H_
#define TRIBUTARY_COMMON_OBSERVE_PROCESS_METRICS_H_

#include <string>

#include "common/observe/metrics.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Exports the process_ metrics that Prometheus' client libraries have, under
// their names, and tributary_build_info. Reads /proc; what it does not tell is
// left out of the exposition. Thread-safe. `metrics` outlives it.
class ProcessMetrics {
 public:
  // `version` is the label of tributary_build_info.
  ProcessMetrics(Metrics* metrics, const std::string& version);
  // Brings the metrics up to date; called before each exposition.
  void Update();

 private:
  void UpdateCpu();
  void UpdateMemory();
  void UpdateDescriptors();

  Metrics* const metrics_;
  Mutex mutex_;
  double cpu_seconds_ ABSL_GUARDED_BY(mutex_) = 0;  // exported so far
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_OBSERVE_PROCESS_METRICS_H_
