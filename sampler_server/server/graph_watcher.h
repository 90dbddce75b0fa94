// Follows the file that lists a server's graphs.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_WATCHER_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_WATCHER_H_

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "common/fleet/backoff.h"
#include "common/observe/metrics.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "sampler_server/server/graph_host.h"
#include "sampler_server/server/graph_list.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct GraphWatcherOptions {
  std::string path;
  std::vector<uint32_t> partitions;  // of lines that say none
  absl::Duration period = absl::Seconds(1);
  // How long a graph that is listed no more still answers its peers.
  absl::Duration retire_grace = absl::Seconds(30);
  // Between tries to open a folder that failed.
  BackoffOptions retry{absl::Seconds(1), absl::Seconds(60)};
};

// Graphs that come into the file are opened and served; those that are no
// longer listed are retired, once all that are listed are served. A file that
// cannot be read, or a folder that cannot be opened, is said in the log and in
// tributary_graphs_unserved, and tried again; nothing that is served is touched
// for it. On a thread of its own, for opening takes its time.
class GraphWatcher {
 public:
  // All outlive it. `clock` is the one of the service's deadlines.
  GraphWatcher(GraphWatcherOptions options, GraphHost* host,
               SamplerService* service, const Clock* clock, Metrics* metrics);
  // Nothing is opened from then on; what just is, is given up.
  ~GraphWatcher();

 private:
  void Run();
  void Follow(const std::vector<GraphSource>& listed);
  bool Serve(const GraphSource& source);

  const GraphWatcherOptions options_;
  GraphHost* const host_;
  SamplerService* const service_;
  const Clock* const clock_;
  Gauge unserved_;

  struct Failed {
    Backoff backoff;
    absl::Time again;
  };
  std::map<std::string, Failed> failed_;  // by folder; on the thread

  Mutex mutex_;
  CondVar stop_changed_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all above
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_WATCHER_H_
