#include "sampler_server/engine/batch/batch_writer.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "partition/schema/feature_columns.h"
#include "sampler_server/engine/batch/compact_edges.h"
#include "sampler_server/engine/ids/tree_ids.h"

namespace tributary {
namespace {

// Tensors start at 64-byte boundaries of an aligned room.
template <typename T>
absl::Span<T> As(absl::Span<uint8_t> bytes) {
  return absl::MakeSpan(reinterpret_cast<T*>(bytes.data()),
                        bytes.size() / sizeof(T));
}

template <typename To, typename From>
void Fill(absl::Span<uint8_t> tensor, const From& values) {
  std::copy(values.begin(), values.end(), As<To>(tensor).begin());
}

Shape RowsShape(int64_t rows, const ColumnSchema& column) {
  if (column.dim == 0) return {rows};
  return {rows, column.dim};
}

}  // namespace

BatchWriter::BatchWriter(const GraphSchema& schema, const SamplingPlan& plan,
                         const BatchKey& key, const BatchState& state)
    : schema_(schema), plan_(plan), state_(state), layout_(key) {
  AddInputTensors();
  for (int type : plan_.node_types) AddNodeTensors(type);
  for (size_t i = 0; i < plan_.edge_types.size(); ++i) AddEdgeTensors(i);
  for (const KindTensor& tensor : state_.tensors) {
    kind_tensors_.push_back(
        layout_.Add(tensor.name, tensor.dtype, tensor.shape));
  }
  layout_.Finish();
}

void BatchWriter::AddInputTensors() {
  if (plan_.takes_links()) return;  // their kind adds tensors
  const auto inputs = static_cast<int64_t>(state_.num_inputs);
  const std::string suffix =
      plan_.typed_names ? "/" + schema_.node_types[plan_.input_type].name : "";
  batch_size_ = layout_.Add("batch_size" + suffix, DType::kInt64, {1});
  input_id_ = layout_.Add("input_id" + suffix, DType::kInt64, {inputs});
  seed_index_ = layout_.Add("seed_index" + suffix, DType::kInt32, {inputs});
  if (plan_.collect.has(CollectedColumn::kSeedTime)) {
    seed_time_ = layout_.Add("seed_time" + suffix, DType::kInt64, {inputs});
  }
}

int BatchWriter::AddFeatures(const std::string& name, const std::string& suffix,
                             int64_t rows, const ColumnSchema& stored,
                             int* scale) {
  if (HasScale(stored, plan_.feature_dtype)) {
    *scale = layout_.Add(name + "_scale" + suffix, DType::kFloat32, {rows});
  }
  const ColumnSchema column = InBatch(stored, plan_.feature_dtype);
  return layout_.Add(name + suffix, column.dtype, RowsShape(rows, column));
}

int64_t BatchWriter::NumNodes(int type) const {
  return static_cast<int64_t>(state_.nodes[type].numbering.size() +
                              state_.nodes[type].unnumbered);
}

void BatchWriter::AddNodeTensors(int type) {
  const NodeTypeSchema& schema = schema_.node_types[type];
  const std::string suffix = plan_.typed_names ? "/" + schema.name : "";
  const int64_t n = NumNodes(type);
  NodeTensors tensors;
  tensors.n_id = layout_.Add("n_id" + suffix, DType::kInt64, {n});
  if (plan_.num_hops > 0) {
    tensors.num_sampled_nodes = layout_.Add(
        "num_sampled_nodes" + suffix, DType::kInt64, {plan_.num_hops + 1});
  }
  if (plan_.disjoint) {
    tensors.batch = layout_.Add("batch" + suffix, DType::kInt64, {n});
  }
  if (CollectsX(schema, plan_)) {
    tensors.x = AddFeatures("x", suffix, n, *schema.x, &tensors.x_scale);
  }
  if (CollectsY(schema, plan_)) {
    tensors.y =
        layout_.Add("y" + suffix, schema.y->dtype, RowsShape(n, *schema.y));
  }
  if (CollectsTime(schema, plan_)) {
    tensors.time = layout_.Add("time" + suffix, DType::kInt64, {n});
  }
  const size_t left_out = state_.nodes[type].left_out.size();
  for (const int rows : {tensors.x, tensors.x_scale, tensors.y}) {
    if (rows != kNone && left_out > 0) layout_.LeaveOut(rows, left_out);
  }
  nodes_.push_back(tensors);
}

std::string BatchWriter::EdgeSuffix(int edge_type) const {
  if (!plan_.typed_names) return "";
  const EdgeTypeSchema& type = schema_.edge_types[edge_type];
  return "/" + type.src + "__" + type.rel + "__" + type.dst;
}

void BatchWriter::AddEdgeTensors(size_t index) {
  const PlannedEdgeType& planned = plan_.edge_types[index];
  if (planned.shares_tensors_of >= 0) {
    edges_.push_back(edges_[planned.shares_tensors_of]);
    return;
  }
  const EdgeTypeSchema& schema = schema_.edge_types[planned.edge_type];
  const std::string suffix = EdgeSuffix(planned.emitted_type());
  const auto e = static_cast<int64_t>(NumTensorEdges(plan_, state_, index));
  EdgeTensors tensors;
  tensors.edge_index =
      layout_.Add("edge_index" + suffix, DType::kInt32, {2, e});
  if (!plan_.omit_edge_ids) {
    tensors.e_id = layout_.Add("e_id" + suffix, DType::kInt64, {e});
  }
  const CompactEdges& compact = state_.edges[index].compact;
  LeaveOut(tensors.edge_index, compact.edge_index.left_out());
  if (compact.id_bytes > 0) {
    LeaveOut(tensors.e_id,
             LeftOutOfEdgeIds(static_cast<uint64_t>(e), compact.id_bytes));
  }
  if (plan_.num_hops > 0 && plan_.subgraph.type == SubgraphType::kDirectional) {
    tensors.num_sampled_edges = layout_.Add("num_sampled_edges" + suffix,
                                            DType::kInt64, {plan_.num_hops});
  }
  if (planned.draw == DrawMode::kLabor) {
    tensors.edge_weight =
        layout_.Add("edge_weight" + suffix, DType::kFloat32, {e});
  }
  if (CollectsEdgeAttr(schema_, plan_, planned)) {
    tensors.edge_attr = AddFeatures("edge_attr", suffix, e, *schema.edge_attr,
                                    &tensors.edge_attr_scale);
  }
  if (CollectsWeight(schema_, plan_, planned)) {
    tensors.weight = layout_.Add("weight" + suffix, schema.weight_dtype, {e});
  }
  if (plan_.collect_degrees) AddDegrees(planned.emitted_type(), &tensors);
  edges_.push_back(tensors);
}

void BatchWriter::LeaveOut(int handle, size_t bytes) {
  if (bytes > 0) layout_.LeaveOutBytes(handle, bytes);
  compact_bytes_ += bytes;
}

void BatchWriter::AddDegrees(int edge_type, EdgeTensors* tensors) {
  const EdgeTypeSchema& type = schema_.edge_types[edge_type];
  const std::string suffix = EdgeSuffix(edge_type);
  tensors->in_degree = layout_.Add("in_degree" + suffix, DType::kInt64,
                                   {NumNodes(type.dst_type)});
  tensors->out_degree = layout_.Add("out_degree" + suffix, DType::kInt64,
                                    {NumNodes(type.src_type)});
}

absl::Span<uint8_t> BatchWriter::TensorOf(int handle,
                                          absl::Span<uint8_t> room) const {
  return handle == kNone ? absl::Span<uint8_t>() : layout_.Tensor(handle, room);
}

bool BatchWriter::Write(absl::Span<const int64_t> input_number,
                        absl::Span<uint8_t> room, StopCheck* stop) {
  layout_.WriteHeader(room);
  if (batch_size_ != kNone) {
    As<int64_t>(TensorOf(batch_size_, room))[0] =
        static_cast<int64_t>(state_.unique_inputs);
  }
  if (input_id_ != kNone) {
    Fill<int64_t>(TensorOf(input_id_, room), input_number);
  }
  Fill<int32_t>(TensorOf(seed_index_, room), state_.seed_index);
  if (seed_time_ != kNone) {
    Fill<int64_t>(TensorOf(seed_time_, room), state_.tree_time);
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Fill<int64_t>(TensorOf(nodes_[i].num_sampled_nodes, room),
                  state_.nodes[plan_.node_types[i]].per_hop);
    if (plan_.disjoint) WriteTrees(i, room);
  }
  for (size_t i = 0; i < edges_.size(); ++i) {
    if (edges_[i].num_sampled_edges != kNone) AddEdgeCounts(i, room);
    WriteEdgeIndex(i, room, stop);
    if (edges_[i].e_id != kNone) WriteEdgeIds(i, room, stop);
    if (!WhyStopped(stop).ok()) return false;
    if (edges_[i].edge_weight != kNone) WriteEdgeWeights(i, room);
  }
  for (size_t i = 0; i < kind_tensors_.size(); ++i) {
    const std::vector<uint8_t>& bytes = state_.tensors[i].bytes;
    Fill<uint8_t>(kind_tensor(i, room), bytes);
    if (ShouldStop(stop, bytes.size() / 16)) return false;
  }
  return true;
}

void BatchWriter::WriteTrees(size_t index, absl::Span<uint8_t> room) const {
  const int type = plan_.node_types[index];
  const TreeIds ids(static_cast<uint64_t>(schema_.node_types[type].num_nodes));
  const std::vector<uint64_t>& from = state_.nodes[type].numbering.ids();
  std::transform(from.begin(), from.end(),
                 As<int64_t>(TensorOf(nodes_[index].batch, room)).begin(),
                 [&ids](uint64_t id) { return ids.Tree(id); });
}

// Each edge of a node with n drawn edges has the weight 1 / n.
void BatchWriter::WriteEdgeWeights(size_t index,
                                   absl::Span<uint8_t> room) const {
  const auto weights = As<float>(TensorOf(edges_[index].edge_weight, room));
  const std::vector<uint64_t> first = FirstEdges(plan_, state_, index);
  for (size_t h = 0; h < first.size(); ++h) {
    float* weight = weights.data() + first[h];
    for (uint32_t count : state_.edges[index].hops[h].counts) {
      weight = std::fill_n(weight, count, static_cast<float>(1.0 / count));
    }
  }
}

// The first of the types that share the tensor sets it; the others add to it.
void BatchWriter::AddEdgeCounts(size_t index, absl::Span<uint8_t> room) const {
  const auto counts =
      As<int64_t>(TensorOf(edges_[index].num_sampled_edges, room));
  const std::vector<int64_t>& per_hop = state_.edges[index].per_hop;
  const bool adds = plan_.edge_types[index].shares_tensors_of >= 0;
  for (size_t hop = 0; hop < per_hop.size(); ++hop) {
    counts[hop] = (adds ? counts[hop] : 0) + per_hop[hop];
  }
}

void BatchWriter::WriteEdgeIndex(size_t index, absl::Span<uint8_t> room,
                                 StopCheck* stop) const {
  const int shared = plan_.edge_types[index].shares_tensors_of;
  const size_t owner = shared < 0 ? index : static_cast<size_t>(shared);
  const absl::Span<uint8_t> tensor = TensorOf(edges_[index].edge_index, room);
  if (!state_.edges[owner].compact.edge_index.runs.empty()) {
    if (index != owner) return;
    return WriteCompactEdgeIndex(plan_, state_, index, tensor, stop);
  }
  const auto ends = As<int32_t>(tensor);
  const std::vector<uint64_t> first = FirstEdges(plan_, state_, index);
  const bool reversed = plan_.edge_types[index].emitted_as >= 0;
  for (size_t h = 0; h < first.size(); ++h) {
    const SampledHop& hop = state_.edges[index].hops[h];
    int32_t* from = ends.data() + first[h];
    int32_t* to = from + ends.size() / 2;
    if (reversed) std::swap(from, to);
    InPieces(stop, hop.src.size(), [&](uint64_t begin, uint64_t end) {
      std::copy_n(hop.src.data() + begin, end - begin, from + begin);
    });
    auto local = static_cast<int32_t>(hop.first_local);
    for (uint32_t count : hop.counts) {
      if (ShouldStop(stop, count / 8)) return;
      to = std::fill_n(to, count, local++);
    }
  }
}

void BatchWriter::WriteEdgeIds(size_t index, absl::Span<uint8_t> room,
                               StopCheck* stop) const {
  const int shared = plan_.edge_types[index].shares_tensors_of;
  const size_t owner = shared < 0 ? index : static_cast<size_t>(shared);
  const absl::Span<uint8_t> tensor = TensorOf(edges_[index].e_id, room);
  if (state_.edges[owner].compact.id_bytes > 0) {
    if (index != owner) return;
    return WriteCompactEdgeIds(plan_, state_, index, tensor, stop);
  }
  const auto ids = As<int64_t>(tensor);
  const std::vector<uint64_t> first = FirstEdges(plan_, state_, index);
  for (size_t h = 0; h < first.size(); ++h) {
    const std::vector<int64_t>& from = state_.edges[index].hops[h].edge_ids;
    int64_t* const to = ids.data() + first[h];
    InPieces(stop, from.size(), [&](uint64_t begin, uint64_t end) {
      std::copy_n(from.data() + begin, end - begin, to + begin);
    });
  }
}

BatchWriter::NodeRows BatchWriter::node_rows(size_t index,
                                             absl::Span<uint8_t> room) const {
  const NodeTensors& tensors = nodes_[index];
  return {TensorOf(tensors.n_id, room), TensorOf(tensors.x, room),
          TensorOf(tensors.x_scale, room), TensorOf(tensors.y, room),
          TensorOf(tensors.time, room)};
}

absl::Span<uint8_t> BatchWriter::kind_tensor(size_t index,
                                             absl::Span<uint8_t> room) const {
  return TensorOf(kind_tensors_[index], room);
}

BatchWriter::EdgeRows BatchWriter::edge_rows(size_t index,
                                             absl::Span<uint8_t> room) const {
  return {TensorOf(edges_[index].edge_attr, room),
          TensorOf(edges_[index].edge_attr_scale, room),
          TensorOf(edges_[index].weight, room)};
}

BatchWriter::Degrees BatchWriter::degrees(size_t index,
                                          absl::Span<uint8_t> room) const {
  if (plan_.edge_types[index].shares_tensors_of >= 0) return {};
  return {TensorOf(edges_[index].in_degree, room),
          TensorOf(edges_[index].out_degree, room)};
}

}  // namespace tributary
