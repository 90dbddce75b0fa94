// The graphs that a server serves: several, or several versions of one.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRAPH_CATALOG_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRAPH_CATALOG_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fleet/graph_name.h"
#include "common/hash/sha256.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/mutex.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/gather/row_reader.h"
#include "sampler_server/service/activity.h"

namespace tributary {

// A graph with what its batches need.
struct ServedGraph {
  std::shared_ptr<const Graph> graph;
  // Reaches the partitions that are not here; null: all are.
  std::shared_ptr<RemotePartitions> remote;
  // Reads features from files; null: they are in memory. Required if
  // graph->reads_features().
  std::shared_ptr<RowReader> rows;
  // The states of the peers, for Describe; may be empty.
  std::function<std::vector<v1::PeerState>()> peers;
};

// A graph in the catalog and the work that is under way on it. Plans, batches
// and calls keep it alive; it may leave the catalog meanwhile. Thread-safe.
struct HeldGraph {
  explicit HeldGraph(ServedGraph graph) : served(std::move(graph)) {}

  const Graph& graph() const { return *served.graph; }
  const GraphSchema& schema() const { return served.graph->schema(); }
  // Returns NAME@VERSION.
  std::string name() const {
    return VersionedName(schema().name, schema().content_digest);
  }

  // Whether new work should go to other servers.
  bool draining() const { return retiring || !graph().damage().ok(); }

  const ServedGraph served;
  const std::shared_ptr<Activity> activity = std::make_shared<Activity>();
  // Held by attempts with mutable rows of the graph, which stays served.
  const std::shared_ptr<Activity> pins = std::make_shared<Activity>();
  std::atomic<bool> retiring{false};  // takes no new batches
  std::atomic<bool> gone{false};      // out of the catalog
};

// Returns the damage of a graph, which may be null, and logs it.
absl::Status DamageOf(const HeldGraph* held);

// A list of graphs in the order in which they were added: of several versions
// of one name the last is the newest. Errors list the graphs that are served.
// Thread-safe.
class GraphCatalog {
 public:
  // Bounded because every answer to Describe names all graphs.
  static constexpr size_t kMaxGraphs = 64;

  // ALREADY_EXISTS when that layout is served; RESOURCE_EXHAUSTED beyond
  // kMaxGraphs.
  absl::Status Add(std::shared_ptr<HeldGraph> graph);
  // No effect if the graph is not in the catalog.
  void Remove(const HeldGraph& graph);
  std::vector<std::shared_ptr<HeldGraph>> All() const;

  // Return the graph with a digest, given by its bytes as in messages; of
  // several layouts of one content the newest that is not being retired, or
  // else the newest. INVALID_ARGUMENT when the bytes are no digest;
  // FAILED_PRECONDITION when no such graph is served.
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithContent(
      const std::string& digest) const;
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithLayout(
      const std::string& digest) const;
  // Returns the newest graph that the name matches and that is not being
  // retired, or else the newest that it matches. NOT_FOUND when there is none;
  // INVALID_ARGUMENT when the name is empty and graphs of several names are
  // served.
  absl::StatusOr<std::shared_ptr<HeldGraph>> Named(const GraphName& name) const;
  // Returns the newest graph of any name. NOT_FOUND when there is none.
  absl::StatusOr<std::shared_ptr<HeldGraph>> Newest() const;

 private:
  using Graphs = std::vector<std::shared_ptr<HeldGraph>>;

  std::shared_ptr<const Graphs> Snapshot() const;

  mutable Mutex mutex_;
  // Copied on write, so that readers hold no lock while they search.
  std::shared_ptr<const Graphs> graphs_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<const Graphs>();
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRAPH_CATALOG_H_
