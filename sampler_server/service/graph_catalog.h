// The graphs that a server holds: several, or several versions of one.
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

// A graph and what its batches are made with.
struct ServedGraph {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<RemotePartitions> remote;  // null: all partitions are here
  // What Graph::reads_features() asks for; null: its features are in memory.
  std::shared_ptr<RowReader> rows;
  // For Describe; may be empty.
  std::function<std::vector<v1::PeerState>()> peers;
};

// One of them, and the batches that are under way on it. Whoever works on it
// holds it: it may leave the catalog meanwhile.
struct HeldGraph {
  explicit HeldGraph(ServedGraph graph) : served(std::move(graph)) {}

  const Graph& graph() const { return *served.graph; }
  const GraphSchema& schema() const { return served.graph->schema(); }
  // NAME@VERSION
  std::string name() const {
    return VersionedName(schema().name, schema().content_digest);
  }

  const ServedGraph served;
  const std::shared_ptr<Activity> activity = std::make_shared<Activity>();
  std::atomic<bool> retiring{false};  // takes no new batches
  std::atomic<bool> gone{false};      // out of the catalog
};

// Ordered by when they came: of several versions the last is the newest.
// Errors list the graphs that are held. Thread-safe.
class GraphCatalog {
 public:
  // Describe's answers name all of them.
  static constexpr size_t kMost = 64;

  // ALREADY_EXISTS when that layout is held; RESOURCE_EXHAUSTED beyond kMost.
  absl::Status Add(std::shared_ptr<HeldGraph> graph);
  void Remove(const HeldGraph& graph);
  std::vector<std::shared_ptr<HeldGraph>> All() const;

  // By digests of the wire. INVALID_ARGUMENT when it is none;
  // FAILED_PRECONDITION when no such graph is held. Of several layouts of one
  // content, the newest that is not being retired.
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithContent(
      const std::string& digest) const;
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithLayout(
      const std::string& digest) const;
  // The newest that the name matches and that is not being retired, or else
  // the newest. NOT_FOUND: there is none. INVALID_ARGUMENT: the name is empty
  // and graphs of several names are held.
  absl::StatusOr<std::shared_ptr<HeldGraph>> Named(const GraphName& name) const;
  // Of any name. NOT_FOUND: there is none.
  absl::StatusOr<std::shared_ptr<HeldGraph>> Newest() const;

 private:
  using Graphs = std::vector<std::shared_ptr<HeldGraph>>;

  mutable Mutex mutex_;
  // Replaced, never changed.
  std::shared_ptr<const Graphs> graphs_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<const Graphs>();
  std::shared_ptr<const Graphs> Now() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRAPH_CATALOG_H_
