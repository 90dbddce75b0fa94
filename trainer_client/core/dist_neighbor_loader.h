// Iterates over mini-batches of sampled neighbourhoods that servers make: the
// counterpart of PyG's NeighborLoader and GLT's DistNeighborLoader.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/slot_ring.h"
#include "channel/transport.h"
#include "common/executor.h"
#include "common/session/link_columns.h"
#include "common/session/spec_builder.h"
#include "partition/format/schema.h"
#include "sampler_server/kinds/layerwise/layerwise_spec.h"
#include "sampler_server/kinds/link/link_spec.h"
#include "sampler_server/kinds/ppr/ppr_spec.h"
#include "sampler_server/kinds/walk/walk_spec.h"
#include "trainer_client/core/batch_lease.h"
#include "trainer_client/core/cursor.h"
#include "trainer_client/core/loader_stats.h"
#include "trainer_client/core/options.h"

namespace tributary {

// Links of one edge type.
struct LinkList {
  std::string edge_type;  // "src,rel,dst"; empty: the graph's only one
  std::string split;      // of edges, asked for from the servers ...
  LinkColumns links;      // ... or, when that is empty, the links themselves
  // A time for each, or one for all: with draws.time.
  std::vector<int64_t> time;
  // negatives.amount original ids of the destination type for each link, which
  // are its negatives; empty: they are drawn.
  std::vector<int64_t> neg_destination;
};

// Which links batches are made for.
struct LinkRequest {
  // One; or one for each of several edge types, in any order.
  std::vector<LinkList> lists;
  NegativeSampling negatives;
  ExcludeMode exclude = ExcludeMode::kNone;
  bool enclosing = false;  // with an induced subgraph, disjoint
};

// What loaders of all kinds take; PyG's argument names.
struct CommonLoaderOptions {
  // A split's name ("train", "SCHEME/train"), asked for from the servers ...
  std::string input_split;
  // ... or the original ids themselves ...
  std::vector<int64_t> input_nodes;
  // ... or, for each node of the type, whether it is one (a train_mask) ...
  std::vector<bool> input_mask;
  // ... or every node of the type, as PyG's None: with num_neighbors = {-1} and
  // shuffle kNone the way to infer a model layer by layer.
  bool all_nodes = false;
  // Their node type; empty: the graph's only one. PyG's input_nodes =
  // ("person", ids) is input_type = "person" and input_nodes = ids.
  std::string input_type;
  uint64_t batch_size = 1;
  ShuffleMode shuffle = ShuffleMode::kGlobal;
  // One for each of the inputs (links of several edge types: in canonical order
  // of these): an epoch draws as many, with replacement and in
  // proportion, instead of each once (PyTorch's WeightedRandomSampler, PyG's
  // ImbalancedSampler).
  std::vector<double> input_weight;
  bool collect_features = true;
  // Floating columns of x and edge_attr come in this precision: half of
  // float32's bytes, or with int8 a quarter, and x_scale and edge_attr_scale,
  // by which a row is multiplied.
  FeatureDType feature_dtype = FeatureDType::kStored;
  bool drop_last = false;  // voids exactly-once: the short batch is left out
  uint64_t random_seed = 0;
  // This trainer takes the batches g with (g - start) mod world == rank.
  uint32_t rank = 0;
  uint32_t world = 1;
};

// What is sampled; PyG's argument names.
struct NeighborLoaderOptions : CommonLoaderOptions {
  NeighborLoaderOptions() = default;
  explicit NeighborLoaderOptions(const CommonLoaderOptions& common)
      : CommonLoaderOptions(common) {}

  // Neighbours per node and hop, nearest hop first; -1: all.
  std::vector<int32_t> num_neighbors;
  // Per canonical edge type "src,rel,dst", over the default above.
  std::vector<std::pair<std::string, std::vector<int32_t>>>
      num_neighbors_by_type;
  bool homogeneous = false;  // refuse typed graphs, for who cannot take them
  bool replace = false;
  bool expand_all = false;   // DGL's blocks instead of PyG's hops
  DrawOptions draws;         // weights, LABOR, times, trees, masks
  SubgraphOptions subgraph;  // PyG's subgraph_type: which edges there are
  // The time of each of the inputs, in their order, or one for all. Empty, with
  // a draws.time: the nodes' own. Links bring theirs.
  std::vector<int64_t> input_time;
  // Another kind instead of neighbours, which all of the above are for; one at
  // most: set by DistRandomWalkLoader, DistPprLoader and DistLayerwiseLoader.
  std::optional<WalkOptions> walk;
  std::optional<PprOptions> ppr;
  std::optional<LayerwiseOptions> layerwise;
  // Links and negatives to them instead of input_nodes: set by
  // DistLinkNeighborLoader.
  std::optional<LinkRequest> link;
};

// What the loader runs on; all outlive it.
struct LoaderEnvironment {
  Executor* executor = nullptr;
  Transport* transport = nullptr;
  // The memory that batches are received into, where servers write into it
  // themselves; empty: the loader's own.
  std::function<absl::StatusOr<std::shared_ptr<SlotRing>>(uint64_t bytes)>
      make_ring;
  // What users of it call the ring's size, for errors.
  std::string ring_option = "buffer_size";
  // Told of the graph by Create, before it returns.
  std::function<void(const GraphSchema&)> opened = [](const GraphSchema&) {};
};

// Batches of a typed graph are read by type with ToHeteroBatch. One user thread
// calls; the loader's own work runs on the executor. Batches come in ascending
// index. Every wait ends within rpc_timeout.
class DistNeighborLoader {
 public:
  // Asks a server what graph it holds and for the inputs. Errors: what
  // Validate says; UNAVAILABLE when no server answers; NOT_FOUND for a split.
  static absl::StatusOr<std::unique_ptr<DistNeighborLoader>> Create(
      const NeighborLoaderOptions& options,
      const RemoteDistSamplingWorkerOptions& worker,
      const LoaderEnvironment& environment);
  virtual ~DistNeighborLoader() = default;

  virtual const GraphSchema& schema() const = 0;
  virtual uint64_t num_inputs() const = 0;
  // Of one epoch from its start, over all ranks.
  virtual uint64_t num_batches() const = 0;
  // Inputs of batch `index` of the current epoch (0 past its end): what DDP
  // needs to weigh an uneven round, without talking to other ranks.
  virtual uint64_t inputs_in_batch(uint64_t index) const = 0;

  // Starts an epoch at its beginning, or goes on from a cursor. What was
  // prefetched for another is dropped.
  virtual absl::Status StartEpoch(uint64_t epoch) = 0;
  virtual absl::Status Resume(const Cursor& cursor) = 0;
  // Only batches [from, to) of the current epoch; right after StartEpoch.
  virtual absl::Status Limit(uint64_t from, uint64_t to) = 0;

  // The next batch of this rank; none at the end of the epoch. An error in a
  // batch's place names batch, server and cause; the call after it goes on
  // with the next batch. FAILED_PRECONDITION when the caller's own leases fill
  // the ring (their count is named).
  virtual absl::StatusOr<std::optional<BatchLease>> Next() = 0;
  // Makes a Next() that waits, and all later ones, fail with CANCELLED.
  // From any thread.
  virtual void Cancel() = 0;

  // How far the epoch has been consumed by optimizer steps of all ranks, if
  // each has consumed `batches` of its own since StartEpoch or Resume.
  virtual Cursor CursorAfter(uint64_t batches) const = 0;
  virtual LoaderStats stats() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_DIST_NEIGHBOR_LOADER_H_
