// Opens the graphs of a server, connects them to peers, serves and retires
// them.
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
#include "common/status/fleet_status.h"
#include "partition/format/graph.h"
#include "partition/format/hot_cache.h"
#include "partition/format/hot_list.h"
#include "partition/schema/feature_memory.h"
#include "partition/schema/huge_pages.h"
#include "sampler_server/peers/peer_directory.h"
#include "sampler_server/peers/peer_statuses.h"
#include "sampler_server/rows/disk_rows.h"
#include "sampler_server/server/graph_list.h"
#include "sampler_server/server/peer_views.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {

// A graph that can be served.
struct OpenedGraph {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const HotCache> hot;  // null: there is none
  HotLists hot_lists;
};

struct GraphHostOptions {
  bool verify = false;  // check every file's CRC before a graph is served
  FeatureMemory features = FeatureMemory::kAuto;
  HugePages huge_pages = HugePages::kOff;
  int feature_readers = kDefaultFeatureReaders;
  bool hot_cache = true;        // load caches of hot rows that are there
  uint64_t reserved_bytes = 0;  // of this machine's memory, for batches
  uint64_t tensor_bytes = 0;    // likewise, for mutable rows
  uint64_t incarnation = 0;     // of the server
  bool has_peers = false;       // whether SetListed will ever be called
};

// Owns what each graph needs beside the SamplerService: its mapping, its
// PeerDirectory and the threads that read its features from files. Thread-safe;
// after Stop only the destructor may be called.
class GraphHost {
 public:
  // The pointers outlive the host.
  GraphHost(GraphHostOptions options, Transport* transport, Executor* executor,
            Metrics* metrics)
      : options_(options),
        transport_(transport),
        executor_(executor),
        metrics_(metrics) {}

  // Opens a graph, with its cache of hot rows and its hot lists; blocks as long
  // as that takes. It may map what is left of the memory beside the reserved
  // bytes, that cache and the graphs that are served. Errors are those of
  // Graph::Open and HotCache::Open, and INVALID_ARGUMENT when graph.json is too
  // large to be sent to clients (graph_text.h).
  absl::StatusOr<OpenedGraph> Open(const ListedGraph& source);
  // Makes Open, running or called later, return CANCELLED soon.
  void CancelOpening() { cancelled_ = true; }
  // Serves an opened graph by `service`, from now on. Errors are those of
  // SamplerService::AddGraph.
  absl::Status Serve(const ListedGraph& source, OpenedGraph opened,
                     SamplerService& service);
  // Retires the graph of `source`: it takes no new batches, batches under way
  // are finished, peers are answered until `deadline`. No effect if it is not
  // served.
  void Retire(const ListedGraph& source, absl::Time deadline,
              SamplerService& service);
  // Returns the graphs that are served and not being retired, oldest first.
  std::vector<ListedGraph> served() const;

  // Returns the bytes of memory that copies of graphs take.
  uint64_t copied_bytes() const;
  // Returns the bytes of memory that caches of hot rows take.
  uint64_t hot_bytes() const;
  // Returns how many pieces of feature files could not be read so far.
  uint64_t disk_errors() const;
  // Tells all graphs which servers may be peers, from now on.
  void SetListed(const std::vector<Address>& addresses);
  // Returns how many peers answer, for at least one graph.
  size_t healthy_peers() const;
  // Somebody looks at the fleet: peers are asked how they are.
  void Look();
  // Returns what is known of each peer, by address: that it answers for one
  // graph at least, or why it does not, its partitions, and, while somebody
  // looks, what it tells of itself.
  std::vector<ServerView> Peers() const;
  // Returns the addresses of the peers that do not answer.
  std::vector<std::string> silent_peers() const;
  // Returns this server's address in the list of peers; empty: it is not there,
  // or not known yet.
  std::string self_address() const;
  // Sends no calls to peers from now on; `stopped` runs when none is left.
  void Stop(absl::AnyInvocable<void()> stopped);

 private:
  struct Hosted {
    ListedGraph source;
    OpenedGraph opened;
    std::shared_ptr<PeerDirectory> directory;
    bool retiring = false;
  };
  // Outlives the host in callbacks of the service.
  struct State {
    mutable Mutex mutex;
    std::vector<Hosted> hosted ABSL_GUARDED_BY(mutex);
    std::vector<Address> listed ABSL_GUARDED_BY(mutex);
  };
  PeerViews ViewPeers(bool graphs) const;
  // Drops a retired graph, which nothing uses any more, and its directory.
  static void RemoveRetired(State& state, const PeerDirectory* directory);
  // Returns the bytes that served graphs take of the memory.
  uint64_t HeldBytes() const;
  std::shared_ptr<RowReader> RowsFor(const Graph& graph);

  const GraphHostOptions options_;
  Transport* const transport_;
  Executor* const executor_;
  Metrics* const metrics_;
  const std::shared_ptr<PeerStatuses> statuses_ =
      std::make_shared<PeerStatuses>();
  std::atomic<bool> cancelled_{false};
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  mutable Mutex rows_mutex_;
  // Null while no graph has its features in files. Destroyed before the
  // executors, on which the tasks that wait for its reads go on.
  std::unique_ptr<DiskRows> rows_ ABSL_GUARDED_BY(rows_mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_GRAPH_HOST_H_
