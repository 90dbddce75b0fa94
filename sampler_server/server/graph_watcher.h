// Follows the file that lists the graphs of a server.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_WATCHER_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_WATCHER_H_

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "common/fleet/backoff.h"
#include "common/observe/metrics.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "partition/schema/partition_choice.h"
#include "sampler_server/server/graph_host.h"
#include "sampler_server/server/graph_list.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct GraphWatcherOptions {
  std::string path;
  PartitionChoice partitions;                // of lines that name none
  absl::Duration period = absl::Seconds(1);  // between reads of the file
  // How long a graph that is no longer listed still answers its peers.
  absl::Duration retire_grace = absl::Seconds(30);
  // Between attempts to open a folder that failed.
  BackoffOptions retry{absl::Seconds(1), absl::Seconds(60)};
};

// Opens and serves graphs that are added to the file, and retires those that
// are no longer listed, once all that are listed are served. A file that cannot
// be read, or a folder that cannot be opened, is reported in the log and in the
// metric tributary_graphs_unserved, and tried again; the graphs that are served
// stay as they are. Runs on a thread of its own, since opening a graph blocks.
class GraphWatcher {
 public:
  // The pointers outlive it. `clock` is that of the service's deadlines.
  GraphWatcher(GraphWatcherOptions options, GraphHost* host,
               SamplerService* service, const Clock* clock, Metrics* metrics);
  // Cancels a graph that is being opened, and joins the thread.
  ~GraphWatcher();

  // Returns how many graphs are listed and not served; 1 for a list that cannot
  // be read. Thread-safe.
  uint64_t unserved() const { return static_cast<uint64_t>(unserved_.Value()); }

 private:
  void Run();
  void Follow(const std::vector<ListedGraph>& listed);
  bool Serve(const ListedGraph& source);

  const GraphWatcherOptions options_;
  GraphHost* const host_;
  SamplerService* const service_;
  const Clock* const clock_;
  Gauge unserved_;

  struct Failed {
    Backoff backoff;
    absl::Time again;
  };
  std::map<std::string, Failed> failed_;  // by folder; used by the thread alone

  Mutex mutex_;
  CondVar stop_changed_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all members above
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_WATCHER_H_
