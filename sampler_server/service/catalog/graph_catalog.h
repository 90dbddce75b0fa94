// The graphs that a server serves: several, or several versions of one.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_CATALOG_GRAPH_CATALOG_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_CATALOG_GRAPH_CATALOG_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fleet/graph_name.h"
#include "common/hash/sha256.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/activity.h"
#include "common/runtime/mutex.h"
#include "partition/format/graph.h"
#include "partition/format/hot_cache.h"
#include "partition/format/hot_list.h"
#include "sampler_server/engine/batch/remote_partitions.h"
#include "sampler_server/engine/gather/row_reader.h"

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
  // Hot rows of the partitions that are not here; may be null.
  std::shared_ptr<const HotCache> hot;
  // Orders of rows that trainers may hold the first ones of.
  HotLists hot_lists;
};

// A graph in the catalog and the work that is under way on it. Plans, batches
// and calls keep it alive; it may leave the catalog meanwhile. Thread-safe.
struct HeldGraph {
  explicit HeldGraph(ServedGraph graph);

  const Graph& graph() const { return *served.graph; }
  const GraphSchema& schema() const { return served.graph->schema(); }
  // Returns NAME@VERSION.
  std::string name() const {
    return VersionedName(schema().name, schema().content_digest);
  }

  // Whether new work should go to other servers.
  bool draining() const { return retiring || !graph().damage().ok(); }

  const ServedGraph served;
  const Sha256Digest json_digest;  // of graph().schema_json()
  // The parts of a DescribeReply that never change, serialized: the digests,
  // with those of hot lists;
  // and the text of graph.json, empty if it is too long for a reply.
  const std::string described;
  const std::string described_text;
  const std::shared_ptr<Activity> activity = std::make_shared<Activity>();
  // Held by attempts with mutable rows of the graph, which stays served.
  const std::shared_ptr<Activity> pins = std::make_shared<Activity>();
  std::atomic<bool> retiring{false};  // takes no new batches
  std::atomic<bool> gone{false};      // out of the catalog
};

// Returns the damage of a graph, which may be null, and logs it.
absl::Status DamageOf(const HeldGraph* held);

// Graphs of a moment, in the order in which they were added: of several
// versions of one name the last is the newest. Errors list these graphs and no
// others. A value, cheap to copy.
class GraphView {
 public:
  using Graphs = std::vector<std::shared_ptr<HeldGraph>>;

  // `omitted`, if not empty, is added to errors that list the graphs: why some
  // are not in the view.
  explicit GraphView(std::shared_ptr<const Graphs> graphs,
                     std::string omitted = "")
      : graphs_(std::move(graphs)), omitted_(std::move(omitted)) {}

  const Graphs& graphs() const { return *graphs_; }

  // Return the graph with a digest, given by its bytes as in messages; of
  // several layouts of one content the newest that is not being retired, or
  // else the newest. INVALID_ARGUMENT when the bytes are no digest;
  // FAILED_PRECONDITION when there is no such graph.
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithContent(
      const std::string& digest) const;
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithLayout(
      const std::string& digest) const;
  // Returns the newest graph that the name matches and that is not being
  // retired, or else the newest that it matches. NOT_FOUND when there is none;
  // INVALID_ARGUMENT when the name is empty and graphs of several names are
  // in the view.
  absl::StatusOr<std::shared_ptr<HeldGraph>> Named(const GraphName& name) const;
  // Returns the newest graph of any name. NOT_FOUND when there is none.
  absl::StatusOr<std::shared_ptr<HeldGraph>> Newest() const;

 private:
  std::shared_ptr<const Graphs> graphs_;
  std::string omitted_;
};

// The graphs that a server serves. Thread-safe.
class GraphCatalog {
 public:
  // Bounded because every answer to Describe names all graphs.
  static constexpr size_t kMaxGraphs = 64;

  // ALREADY_EXISTS when that layout is served; RESOURCE_EXHAUSTED beyond
  // kMaxGraphs.
  absl::Status Add(std::shared_ptr<HeldGraph> graph);
  // No effect if the graph is not in the catalog.
  void Remove(const HeldGraph& graph);

  // Returns the graphs of this moment: all, or those that may be seen.
  GraphView View() const;
  GraphView View(absl::FunctionRef<bool(const HeldGraph&)> may_see,
                 const std::string& omitted) const;

  // The same as of View().
  std::vector<std::shared_ptr<HeldGraph>> All() const {
    return View().graphs();
  }
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithContent(
      const std::string& digest) const {
    return View().WithContent(digest);
  }
  absl::StatusOr<std::shared_ptr<HeldGraph>> WithLayout(
      const std::string& digest) const {
    return View().WithLayout(digest);
  }
  absl::StatusOr<std::shared_ptr<HeldGraph>> Named(
      const GraphName& name) const {
    return View().Named(name);
  }
  absl::StatusOr<std::shared_ptr<HeldGraph>> Newest() const {
    return View().Newest();
  }

 private:
  using Graphs = GraphView::Graphs;

  mutable Mutex mutex_;
  // Copied on write, so that readers hold no lock while they search.
  std::shared_ptr<const Graphs> graphs_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<const Graphs>();
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_CATALOG_GRAPH_CATALOG_H_
