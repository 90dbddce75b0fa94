#include "partition/pipeline/inputs/rmat/rmat.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/random/permutation.h"
#include "common/random/purpose_key.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/rmat/rmat_columns.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr size_t kGrain = 16384;

// Of a permutation of the nodes, the first tenth (at least one) is for
// training, the next twentieth for validation, the next for testing; each list
// ascends.
std::vector<SplitSource> MakeSplits(const RmatOptions& options) {
  const uint64_t n = uint64_t{1} << options.scale;
  const Permutation order =
      Permutation::Keyed(n, MakePurposeKey("rmat,splits", options.random_seed));
  const uint64_t train = std::max<uint64_t>(1, n / 10), held_out = n / 20;
  const auto take = [&](const char* name, uint64_t begin, uint64_t count) {
    std::vector<int64_t> ids;
    ids.reserve(count);
    for (uint64_t i = begin; i < begin + count; ++i) {
      ids.push_back(static_cast<int64_t>(order[i]));
    }
    std::sort(ids.begin(), ids.end());
    return SplitSource{.scheme = "random",
                       .type = "node",
                       .name = name,
                       .nodes = std::move(ids)};
  };
  return {take("test", train + held_out, held_out), take("train", 0, train),
          take("valid", train, held_out)};
}

absl::Status CheckOption(const char* name, int64_t value, int64_t min,
                         int64_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " ", value, "; allowed: ", min, " to ", max));
}

// An allocation that exceeds memory may succeed and then stop the machine.
absl::Status CheckMemory(const RmatOptions& options) {
  const uint64_t bytes =
      static_cast<uint64_t>(options.edges) * 2 * sizeof(int64_t) +
      (uint64_t{1} << options.scale) * sizeof(int64_t);
  if (bytes <= PhysicalMemoryBytes()) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "--edges ", options.edges, " of --scale ", options.scale,
      " take at least ", bytes, " bytes of memory; allowed: this machine's ",
      PhysicalMemoryBytes(), "; give smaller numbers"));
}

// Rows of a computed column, for a graph in memory.
class ComputedRows final : public RowSource {
 public:
  explicit ComputedRows(ColumnPtr column)
      : RowSource(column->schema()), column_(std::move(column)) {}

  int64_t num_rows() const override { return column_->num_rows(); }
  void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const override {
    for (int64_t row : rows) {
      column_->Read(row, 1, out).IgnoreError();  // computing cannot fail
      out += schema().row_bytes();
    }
  }

 private:
  const ColumnPtr column_;
};

std::shared_ptr<const RowSource> RowsOf(const ColumnPtr& column) {
  return column == nullptr ? nullptr : std::make_shared<ComputedRows>(column);
}

absl::StatusOr<EdgeRows> DrawEdges(const RmatEdges& edges) {
  const auto n = static_cast<size_t>(edges.num_edges());
  EdgeRows rows;
  rows.src.resize(n);
  rows.dst.resize(n);
  RETURN_IF_ERROR(ParallelFor(n, kGrain, [&](size_t begin, size_t end) {
    edges.Draw(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin),
               rows.src.data() + begin, rows.dst.data() + begin);
    return absl::OkStatus();
  }));
  return rows;
}

}  // namespace

absl::Status CheckRmatOptions(const RmatOptions& options) {
  RETURN_IF_ERROR(CheckOption("--scale", options.scale, 1, 32));
  RETURN_IF_ERROR(CheckOption("--edges", options.edges, 0, int64_t{1} << 40));
  RETURN_IF_ERROR(CheckOption("--feat-dim", options.feat_dim, 0, 65536));
  RETURN_IF_ERROR(CheckOption("--classes", options.classes, 1, 65536));
  if (options.feat_dtype != DType::kFloat32 &&
      options.feat_dtype != DType::kFloat16) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--feat-dtype ", std::string(DTypeName(options.feat_dtype)),
        "; allowed: float32, float16"));
  }
  const absl::Status masks = CheckMaskNames(options.edge_masks);
  if (masks.ok()) return masks;
  return absl::InvalidArgumentError(
      absl::StrCat("--edge-masks: ", masks.message()));
}

GraphSource MakeRmatSource(const RmatOptions& options,
                           std::shared_ptr<const RmatEdges> drawn) {
  GraphSource graph;
  graph.name = options.name.empty() ? absl::StrCat("rmat-", options.scale)
                                    : options.name;
  NodeSource nodes{.name = "node", .num_nodes = int64_t{1} << options.scale};
  nodes.y = RmatLabels(options);
  if (options.feat_dim > 0) nodes.x = RmatFeatures(options);
  if (options.node_times) nodes.time = RmatNodeTimes(options);
  graph.node_types.push_back(std::move(nodes));
  graph.splits = MakeSplits(options);
  EdgeSource edges{.src = "node", .rel = "to", .dst = "node"};
  edges.from = RmatEdges::From(drawn);
  edges.to = RmatEdges::To(std::move(drawn));
  if (options.edge_weights) edges.weight = RmatEdgeWeights(options);
  if (options.edge_times) edges.time = RmatEdgeTimes(options);
  for (const std::string& name : options.edge_masks) {
    edges.masks[name] = RmatEdgeMask(options, name);
  }
  graph.edge_types.push_back(std::move(edges));
  return graph;
}

absl::StatusOr<GraphSource> GenerateRmatSource(const RmatOptions& options) {
  RETURN_IF_ERROR(CheckRmatOptions(options));
  ASSIGN_OR_RETURN(const auto edges, RmatEdges::Make(options));
  return MakeRmatSource(options, edges);
}

absl::StatusOr<GraphContent> GenerateRmat(const RmatOptions& options) {
  RETURN_IF_ERROR(CheckRmatOptions(options));
  RETURN_IF_ERROR(CheckMemory(options));
  ASSIGN_OR_RETURN(const auto drawn, RmatEdges::Make(options));
  GraphSource source = MakeRmatSource(options, drawn);
  GraphContent content;
  content.name = std::move(source.name);
  const NodeSource& nodes = source.node_types[0];
  content.node_types.push_back({nodes.name, nodes.num_nodes, RowsOf(nodes.x),
                                RowsOf(nodes.y), RowsOf(nodes.time)});
  for (SplitSource& split : source.splits) {
    content.splits.push_back(
        {split.scheme, split.type, split.name, std::move(split.nodes)});
  }
  const EdgeSource& from = source.edge_types[0];
  EdgeContent edges;
  edges.src = from.src;
  edges.rel = from.rel;
  edges.dst = from.dst;
  ASSIGN_OR_RETURN(EdgeRows rows, DrawEdges(*drawn));
  ASSIGN_OR_RETURN(edges.in_edges,
                   Adjacency::FromRows(std::move(rows), nodes.num_nodes,
                                       nodes.num_nodes, {}));
  edges.weight = RowsOf(from.weight);
  edges.time = RowsOf(from.time);
  for (const auto& [name, mask] : from.masks) edges.masks[name] = RowsOf(mask);
  content.edge_types.push_back(std::move(edges));
  return content;
}

}  // namespace tributary
