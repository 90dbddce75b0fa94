#include "trainer_client/torch/testing/in_memory_loader.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <unordered_map>

#include "absl/strings/str_cat.h"
#include "common/batch/batch_layout.h"
#include "common/io/buffer.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"
#include "trainer_client/core/session/epoch_order.h"

namespace tributary {
namespace {

struct Sample {
  std::vector<int64_t> n_id, e_id, input_id, nodes, edges;
  std::vector<int32_t> seed_index, src, dst;
};

// Returns a generator for (seed, epoch, index).
std::mt19937_64 Generator(uint64_t seed, uint64_t epoch, uint64_t index) {
  std::seed_seq sequence{seed, epoch, index, uint64_t{0x7472}};
  return std::mt19937_64(sequence);
}

class Sampler {
 public:
  Sampler(const InMemoryGraph& graph, const NeighborLoaderOptions& options)
      : options_(options), in_edges_(graph.num_nodes) {
    for (size_t e = 0; e < graph.edges.size(); ++e) {
      in_edges_[graph.edges[e].second].push_back(
          {graph.edges[e].first, static_cast<int64_t>(e)});
    }
  }

  Sample Draw(const std::vector<int64_t>& inputs, std::mt19937_64 random) {
    Sample s;
    local_.clear();
    for (int64_t node : inputs) s.seed_index.push_back(LocalOf(node, s));
    s.nodes.push_back(s.n_id.size());
    int64_t from = 0;
    for (int32_t fanout : options_.num_neighbors.by_default) {
      const int64_t to = s.n_id.size();
      const int64_t edges_before = s.e_id.size();
      for (int64_t v = options_.expand_all ? 0 : from; v < to; ++v) {
        Expand(v, fanout, random, s);
      }
      s.nodes.push_back(s.n_id.size() - to);
      s.edges.push_back(s.e_id.size() - edges_before);
      from = to;
    }
    return s;
  }

 private:
  int32_t LocalOf(int64_t node, Sample& s) {
    const auto [it, added] = local_.try_emplace(node, s.n_id.size());
    if (added) s.n_id.push_back(node);
    return it->second;
  }

  void Expand(int64_t local, int32_t fanout, std::mt19937_64& random,
              Sample& s) {
    auto edges = in_edges_[s.n_id[local]];
    if (fanout >= 0 && edges.size() > static_cast<size_t>(fanout)) {
      std::shuffle(edges.begin(), edges.end(), random);
      edges.resize(fanout);
    }
    for (const auto& [neighbour, edge] : edges) {
      s.src.push_back(LocalOf(neighbour, s));
      s.dst.push_back(static_cast<int32_t>(local));
      s.e_id.push_back(edge);
    }
  }

  const NeighborLoaderOptions& options_;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> in_edges_;
  std::unordered_map<int64_t, int32_t> local_;
};

// Writes vectors into a batch's memory.
class RoomWriter {
 public:
  explicit RoomWriter(const BatchKey& key) : layout_(key) {}

  template <typename T>
  void Add(std::string name, DType dtype, Shape shape,
           const std::vector<T>& values) {
    handles_.push_back(layout_.Add(std::move(name), dtype, std::move(shape)));
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    data_.emplace_back(bytes, bytes + values.size() * sizeof(T));
  }
  void AddIds(std::string name, const std::vector<int64_t>& values) {
    Add(std::move(name), DType::kInt64, {static_cast<int64_t>(values.size())},
        values);
  }

  absl::StatusOr<BatchLease> Finish() {
    auto room = std::make_shared<AlignedBuffer>(layout_.Finish());
    layout_.WriteHeader(room->span());
    for (size_t i = 0; i < data_.size(); ++i) {
      const absl::Span<uint8_t> to = layout_.Tensor(handles_[i], room->span());
      if (!to.empty()) std::memcpy(to.data(), data_[i].data(), to.size());
    }
    ASSIGN_OR_RETURN(BatchView view, BatchView::Parse(room->span()));
    return BatchLease(std::move(view), std::move(room));
  }

 private:
  BatchLayout layout_;
  std::vector<int> handles_;
  std::vector<std::vector<uint8_t>> data_;
};

GraphSchema SchemaOf(const InMemoryGraph& graph) {
  GraphSchema schema;
  schema.name = "in-memory";
  schema.content_digest = graph.content_digest;
  NodeTypeSchema node{.name = "node", .num_nodes = graph.num_nodes};
  node.x = ColumnSchema{DType::kFloat32, graph.num_features};
  node.y = ColumnSchema{DType::kInt64, 0};
  if (!graph.float_y.empty()) {
    node.y = ColumnSchema{DType::kFloat32, graph.label_columns};
  }
  schema.node_types.push_back(std::move(node));
  EdgeTypeSchema edge{.src = "node", .rel = "to", .dst = "node"};
  edge.num_edges = static_cast<int64_t>(graph.edges.size());
  schema.edge_types.push_back(std::move(edge));
  return schema;
}

OrderIdentity IdentityOf(const NeighborLoaderOptions& options,
                         const std::vector<int64_t>& inputs,
                         const InMemoryGraph& graph) {
  Sha256 digest;
  for (int64_t id : inputs) digest.UpdateU64(static_cast<uint64_t>(id));
  return {.inputs = digest.Finish(),
          .graph = graph.content_digest,
          .random_seed = options.random_seed,
          .shuffle = options.shuffle != ShuffleMode::kNone,
          .drop_last = options.drop_last};
}

class InMemoryLoader final : public DistLoader {
 public:
  InMemoryLoader(std::shared_ptr<const InMemoryGraph> graph,
                 const NeighborLoaderOptions& options,
                 std::vector<int64_t> inputs, InMemoryLoaderFaults faults)
      : graph_(std::move(graph)),
        options_(options),
        inputs_(std::move(inputs)),
        faults_(faults),
        schema_(SchemaOf(*graph_)),
        sampler_(*graph_, options_),
        identity_(IdentityOf(options_, inputs_, *graph_)) {}

  const GraphSchema& schema() const override { return schema_; }
  uint64_t num_inputs() const override { return inputs_.size(); }
  uint64_t num_batches() const override {
    return (inputs_.size() + options_.batch_size - 1) / options_.batch_size;
  }
  uint64_t begin_index() const override {
    return order_ ? order_->begin_index() : 0;
  }
  uint64_t end_index() const override {
    return order_ ? order_->end_index() : 0;
  }
  uint64_t inputs_in_batch(uint64_t index) const override {
    return order_ ? order_->InputsInBatch(index) : 0;
  }

  absl::Status StartEpoch(uint64_t epoch) override {
    return Resume({.epoch = epoch, .order = identity_});
  }
  absl::Status Resume(const Cursor& cursor) override {
    if (cursor.order != identity_) {
      return absl::FailedPreconditionError("a cursor of another order");
    }
    order_.emplace(
        EpochOrderOptions{.num_inputs = inputs_.size(),
                          .batch_size = options_.batch_size,
                          .random_seed = options_.random_seed,
                          .shuffle = options_.shuffle != ShuffleMode::kNone,
                          .rank = options_.rank,
                          .world = options_.world},
        cursor);
    taken_ = 0;
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<BatchLease>> Next() override {
    if (taken_ >= order_->BatchesOfRank()) return std::nullopt;
    const uint64_t index = order_->IndexOfRank(taken_++);
    RETURN_IF_ERROR(WaitFor(index));
    if (IsAt(index, faults_.fail_at)) {
      return absl::DataLossError(absl::StrCat("batch ", index, " is broken"));
    }
    ASSIGN_OR_RETURN(BatchLease lease, MakeBatch(index));
    ++stats_.batches;
    stats_.inputs += inputs_in_batch(index);
    stats_.bytes += lease.view().payload_bytes();
    return std::optional<BatchLease>(std::move(lease));
  }

  std::optional<absl::StatusOr<std::optional<BatchLease>>> TryNext(
      absl::Duration) override {
    return Next();
  }
  absl::StatusOr<int> ReadyDescriptor() override {
    return absl::UnimplementedError("in-memory loader");
  }

  void Cancel() override {
    MutexLock lock(mutex_);
    cancelled_ = true;
    changed_.NotifyAll();
  }

  absl::Status Limit(uint64_t, uint64_t) override {
    return absl::UnimplementedError("in-memory loader");
  }
  Cursor CursorAfter(uint64_t batches) const override {
    return order_->CursorAfter(batches);
  }
  LoaderStats stats() const override { return stats_; }

 private:
  bool IsAt(uint64_t index, int64_t fault) const {
    return static_cast<int64_t>(index) == fault &&
           order_->epoch() == faults_.epoch;
  }

  absl::Status WaitFor(uint64_t index) {
    MutexLock lock(mutex_);
    while (!cancelled_ && IsAt(index, faults_.hang_at)) {
      changed_.Wait(mutex_);
    }
    return cancelled_ ? absl::CancelledError("the loader was cancelled")
                      : absl::OkStatus();
  }

  absl::StatusOr<BatchLease> MakeBatch(uint64_t index) {
    std::vector<int64_t> nodes, input_id;
    for (uint64_t i : order_->InputNumbers(index)) {
      input_id.push_back(static_cast<int64_t>(i));
      nodes.push_back(inputs_[i]);
    }
    Sample s = sampler_.Draw(
        nodes, Generator(options_.random_seed, order_->epoch(), index));
    s.input_id = std::move(input_id);
    return Write(BatchKey{.epoch = order_->epoch(), .index = index}, s);
  }

  absl::StatusOr<BatchLease> Write(const BatchKey& key, const Sample& s) {
    RoomWriter room(key);
    const int64_t nodes = s.n_id.size();
    const int64_t edges = s.e_id.size();
    const int64_t positions = s.input_id.size();
    std::vector<int32_t> edge_index = s.src;
    edge_index.insert(edge_index.end(), s.dst.begin(), s.dst.end());
    std::vector<float> x;
    std::vector<int64_t> y;
    for (int64_t node : s.n_id) {
      const auto row = graph_->x.begin() + node * graph_->num_features;
      x.insert(x.end(), row, row + graph_->num_features);
      y.push_back(graph_->y[node]);
    }
    room.AddIds("batch_size", {s.nodes[0]});
    room.AddIds("e_id", s.e_id);
    room.Add("edge_index", DType::kInt32, {2, edges}, edge_index);
    room.AddIds("input_id", s.input_id);
    room.AddIds("n_id", s.n_id);
    room.AddIds("num_sampled_edges", s.edges);
    room.AddIds("num_sampled_nodes", s.nodes);
    room.Add("seed_index", DType::kInt32, {positions}, s.seed_index);
    room.Add("x", DType::kFloat32, {nodes, graph_->num_features}, x);
    if (graph_->float_y.empty()) {
      room.AddIds("y", y);
    } else {
      AddFloatLabels(s.n_id, room);
    }
    return room.Finish();
  }

  void AddFloatLabels(const std::vector<int64_t>& nodes, RoomWriter& room) {
    const int64_t columns = graph_->label_columns;
    std::vector<float> y;
    for (const int64_t node : nodes) {
      const auto row = graph_->float_y.begin() + node * columns;
      y.insert(y.end(), row, row + columns);
    }
    room.Add("y", DType::kFloat32,
             {static_cast<int64_t>(nodes.size()), columns}, y);
  }

  const std::shared_ptr<const InMemoryGraph> graph_;
  const NeighborLoaderOptions options_;
  const std::vector<int64_t> inputs_;
  const InMemoryLoaderFaults faults_;
  const GraphSchema schema_;
  Sampler sampler_;
  const OrderIdentity identity_;
  std::optional<EpochOrder> order_;  // of the current epoch
  uint64_t taken_ = 0;               // batches of this rank
  LoaderStats stats_;
  Mutex mutex_;
  CondVar changed_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace

InMemoryGraph CommunityGraph(int64_t communities, int64_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  InMemoryGraph graph;
  graph.num_nodes = communities * size;
  graph.num_features = communities;
  const char* names[] = {"train", "valid", "test"};
  for (int64_t v = 0; v < graph.num_nodes; ++v) {
    const int64_t group = v / size;
    graph.y.push_back(group);
    for (int64_t f = 0; f < communities; ++f) {
      const float noise = static_cast<float>(random() % 1000) / 1000;
      graph.x.push_back((f == group ? 1.f : 0.f) + noise);
    }
    for (int i = 0; i < 6; ++i) {
      const bool stays = random() % 10 < 9;
      const int64_t to =
          stays ? group * size + random() % size : random() % graph.num_nodes;
      graph.edges.push_back({to, v});
    }
    graph.splits[names[v % 3]].push_back(v);
  }
  return graph;
}

absl::StatusOr<std::unique_ptr<DistLoader>> MakeInMemoryLoader(
    std::shared_ptr<const InMemoryGraph> graph,
    const NeighborLoaderOptions& options, InMemoryLoaderFaults faults) {
  std::vector<int64_t> inputs = options.input_nodes;
  if (!options.input_split.empty()) {
    const auto split = graph->splits.find(options.input_split);
    if (split == graph->splits.end()) {
      return absl::NotFoundError(
          absl::StrCat("no split \"", options.input_split, "\""));
    }
    inputs = split->second;
  } else if (options.all_nodes) {
    inputs.resize(static_cast<size_t>(graph->num_nodes));
    std::iota(inputs.begin(), inputs.end(), 0);
  }
  return std::make_unique<InMemoryLoader>(std::move(graph), options,
                                          std::move(inputs), faults);
}

}  // namespace tributary
