// The graphs of a server: opened, given their peers, served, let go.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_HOST_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_HOST_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/observe/metrics.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "partition/format/graph.h"
#include "partition/schema/feature_memory.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/rows/disk_rows.h"
#include "sampler_server/server/graph_list.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

struct GraphHostOptions {
  bool verify = false;  // every file's CRC, before it is served
  FeatureMemory features = FeatureMemory::kAuto;
  int feature_readers = kDefaultFeatureReaders;
  uint64_t reserved_bytes = 0;  // of memory, which no graph may take
  uint64_t incarnation = 0;     // the server's
};

// Thread-safe, but for Stop, which ends it.
class GraphHost {
 public:
  // All outlive it.
  GraphHost(GraphHostOptions options, Transport* transport, Executor* executor,
            Metrics* metrics)
      : options_(options),
        transport_(transport),
        executor_(executor),
        metrics_(metrics) {}

  // What Graph::Open says, and INVALID_ARGUMENT when Describe could not tell
  // of the graph. Memory that served graphs take is not offered.
  absl::StatusOr<std::shared_ptr<const Graph>> Open(const GraphSource& source);
  // Open ends soon with CANCELLED, from now on.
  void CancelOpening() { cancelled_ = true; }
  // From now on; to the service it may be new, or the newest of its name. What
  // SamplerService::AddGraph says.
  absl::Status Serve(const GraphSource& source,
                     std::shared_ptr<const Graph> graph,
                     SamplerService& service);
  // Not from now on; what is under way is finished, peers are answered until
  // `deadline`.
  void Retire(const GraphSource& source, absl::Time deadline,
              SamplerService& service);
  // Those that are served and not being retired, in the order they came.
  std::vector<GraphSource> served() const;

  // The servers that are listed now.
  void SetListed(const std::vector<Address>& addresses);
  // Peers that answer for at least one graph.
  size_t healthy_peers() const;
  // Asks peers nothing from now on; `stopped` runs when no call is left.
  void Stop(absl::AnyInvocable<void()> stopped);

 private:
  struct Hosted {
    GraphSource source;
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<PeerDirectory> directory;
    bool retiring = false;
  };
  // What a callback of the service may still look at when the host is gone.
  struct State {
    mutable Mutex mutex;
    std::vector<Hosted> hosted ABSL_GUARDED_BY(mutex);
    std::vector<Address> listed ABSL_GUARDED_BY(mutex);
  };
  static void RemoveRetired(State& state, const PeerDirectory* directory);
  uint64_t HeldBytes() const;
  std::shared_ptr<RowReader> RowsFor(const Graph& graph);

  const GraphHostOptions options_;
  Transport* const transport_;
  Executor* const executor_;
  Metrics* const metrics_;
  std::atomic<bool> cancelled_{false};
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  Mutex rows_mutex_;
  // Null: no graph has its features in files. Its reads end before the
  // executors do, where what waits for them goes on.
  std::unique_ptr<DiskRows> rows_ ABSL_GUARDED_BY(rows_mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_HOST_H_
