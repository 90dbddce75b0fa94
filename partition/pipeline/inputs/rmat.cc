#include "partition/pipeline/inputs/rmat.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/random/permutation.h"
#include "common/random/philox.h"
#include "common/random/purpose_key.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

// floor(p * 2^32) for p = a, a + b, a + b + c of a, b, c, d = 0.57, 0.19,
// 0.19, 0.05.
constexpr uint32_t kBelowA = 2448131358;
constexpr uint32_t kBelowB = 3264175144;
constexpr uint32_t kBelowC = 4080218931;
constexpr size_t kGrain = 16384;

PhiloxStream StreamOf(PhiloxKey key, uint64_t index) {
  return PhiloxStream(key, static_cast<uint32_t>(index),
                      static_cast<uint32_t>(index >> 32));
}

struct Edge {
  uint64_t src = 0;
  uint64_t dst = 0;
};

// Descends `scale` levels of the adjacency matrix, highest bits first.
Edge DrawEdge(PhiloxKey key, uint64_t index, int scale) {
  PhiloxStream stream = StreamOf(key, index);
  Edge edge;
  for (int level = 0; level < scale; ++level) {
    const uint32_t word = stream.Word(static_cast<uint32_t>(level));
    const bool lower = word >= kBelowB;  // c or d
    const bool right = (word >= kBelowA && !lower) || word >= kBelowC;
    edge.src = edge.src << 1 | (lower ? 1 : 0);
    edge.dst = edge.dst << 1 | (right ? 1 : 0);
  }
  return edge;
}

int64_t LabelOf(PhiloxKey key, int64_t node, int64_t classes) {
  PhiloxStream stream = StreamOf(key, static_cast<uint64_t>(node));
  return stream.BelowNarrow(0, static_cast<uint32_t>(classes));
}

class RmatLabels final : public RowSource {
 public:
  explicit RmatLabels(const RmatOptions& options)
      : RowSource({DType::kInt64, 0}),
        options_(options),
        key_(MakePurposeKey("rmat,labels", options.random_seed)) {}

  int64_t num_rows() const override { return int64_t{1} << options_.scale; }
  void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const override {
    for (int64_t row : rows) {
      const int64_t label = LabelOf(key_, row, options_.classes);
      std::memcpy(out, &label, sizeof(label));
      out += sizeof(label);
    }
  }

 private:
  const RmatOptions options_;
  const PhiloxKey key_;
};

// Uniform noise in [-1, 1), plus 1 in the column of the label: enough for a
// model to learn from. All sums are exact in float32.
class RmatFeatures final : public RowSource {
 public:
  explicit RmatFeatures(const RmatOptions& options)
      : RowSource({DType::kFloat32, options.feat_dim}),
        options_(options),
        label_key_(MakePurposeKey("rmat,labels", options.random_seed)),
        key_(MakePurposeKey("rmat,features", options.random_seed)) {}

  int64_t num_rows() const override { return int64_t{1} << options_.scale; }
  void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const override {
    for (int64_t row : rows) {
      CopyRow(row, out);
      out += schema().row_bytes();
    }
  }

 private:
  void CopyRow(int64_t row, uint8_t* out) const {
    const int64_t label = LabelOf(label_key_, row, options_.classes);
    PhiloxStream stream = StreamOf(key_, static_cast<uint64_t>(row));
    for (int64_t j = 0; j < options_.feat_dim; ++j) {
      const uint32_t word = stream.Word(static_cast<uint32_t>(j));
      float value = static_cast<float>(word >> 8) * 0x1p-23f - 1.0f;
      if (j % options_.classes == label) value += 1.0f;
      std::memcpy(out + j * sizeof(float), &value, sizeof(value));
    }
  }

  const RmatOptions options_;
  const PhiloxKey label_key_;
  const PhiloxKey key_;
};

// One value per row, made from one word of the row's stream.
template <typename T>
class RmatColumn final : public RowSource {
 public:
  using Make = T (*)(PhiloxStream& stream);

  RmatColumn(DType dtype, int64_t num_rows, PhiloxKey key, Make make)
      : RowSource({dtype, 0}), num_rows_(num_rows), key_(key), make_(make) {}

  int64_t num_rows() const override { return num_rows_; }
  void CopyRows(absl::Span<const int64_t> rows, uint8_t* out) const override {
    for (int64_t row : rows) {
      PhiloxStream stream = StreamOf(key_, static_cast<uint64_t>(row));
      const T value = make_(stream);
      std::memcpy(out, &value, sizeof(value));
      out += sizeof(value);
    }
  }

 private:
  const int64_t num_rows_;
  const PhiloxKey key_;
  const Make make_;
};

// Returns a value in [0, 1), exact in float32; zero once in 2^24.
float WeightOf(PhiloxStream& stream) {
  return static_cast<float>(stream.Word(0) >> 8) * 0x1p-24f;
}

// One of a million instants, so that hubs have edges of equal time.
int64_t TimeOf(PhiloxStream& stream) { return stream.BelowNarrow(0, 1000000); }

uint8_t MaskOf(PhiloxStream& stream) {
  return static_cast<uint8_t>(stream.Word(0) >> 31);
}

std::shared_ptr<const RowSource> MakeTimes(const char* purpose,
                                           int64_t num_rows,
                                           uint64_t random_seed) {
  return std::make_shared<RmatColumn<int64_t>>(
      DType::kInt64, num_rows, MakePurposeKey(purpose, random_seed), TimeOf);
}

absl::StatusOr<std::vector<int64_t>> PermutationTable(uint64_t n,
                                                      PhiloxKey key) {
  const Permutation permutation = Permutation::Keyed(n, key);
  std::vector<int64_t> table(n);
  RETURN_IF_ERROR(ParallelFor(n, kGrain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      table[i] = static_cast<int64_t>(permutation[i]);
    }
    return absl::OkStatus();
  }));
  return table;
}

absl::StatusOr<EdgeRows> DrawEdges(const RmatOptions& options) {
  const uint64_t num_nodes = uint64_t{1} << options.scale;
  // Permutes the ids: R-MAT's hubs have the lowest numbers, those of real
  // graphs do not.
  ASSIGN_OR_RETURN(
      const std::vector<int64_t> id_of,
      PermutationTable(num_nodes,
                       MakePurposeKey("rmat,ids", options.random_seed)));
  const PhiloxKey key = MakePurposeKey("rmat,edges", options.random_seed);
  EdgeRows rows;
  rows.src.resize(static_cast<size_t>(options.edges));
  rows.dst.resize(static_cast<size_t>(options.edges));
  RETURN_IF_ERROR(
      ParallelFor(rows.src.size(), kGrain, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          const Edge edge = DrawEdge(key, i, options.scale);
          rows.src[i] = id_of[edge.src];
          rows.dst[i] = id_of[edge.dst];
        }
        return absl::OkStatus();
      }));
  return rows;
}

// Of a permutation of the nodes, the first tenth (at least one) is for
// training, the next twentieth for validation, the next for testing; each list
// ascends.
absl::StatusOr<std::vector<SplitContent>> MakeSplits(
    const RmatOptions& options) {
  const uint64_t n = uint64_t{1} << options.scale;
  const PhiloxKey key = MakePurposeKey("rmat,splits", options.random_seed);
  ASSIGN_OR_RETURN(const std::vector<int64_t> order, PermutationTable(n, key));
  const size_t train = std::max<uint64_t>(1, n / 10), held_out = n / 20;
  const auto take = [&](const char* name, size_t begin, size_t count) {
    std::vector<int64_t> ids(order.begin() + begin,
                             order.begin() + begin + count);
    std::sort(ids.begin(), ids.end());
    return SplitContent{"random", "node", name, std::move(ids)};
  };
  return std::vector<SplitContent>{take("test", train + held_out, held_out),
                                   take("train", 0, train),
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

absl::Status CheckOptions(const RmatOptions& options) {
  RETURN_IF_ERROR(CheckOption("--scale", options.scale, 1, 32));
  RETURN_IF_ERROR(CheckOption("--edges", options.edges, 0, int64_t{1} << 40));
  RETURN_IF_ERROR(CheckOption("--feat-dim", options.feat_dim, 0, 65536));
  RETURN_IF_ERROR(CheckOption("--classes", options.classes, 1, 65536));
  const absl::Status masks = CheckMaskNames(options.edge_masks);
  if (!masks.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--edge-masks: ", masks.message()));
  }
  return CheckMemory(options);
}

}  // namespace

absl::StatusOr<GraphContent> GenerateRmat(const RmatOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  const int64_t num_nodes = int64_t{1} << options.scale;
  GraphContent content;
  content.name = options.name.empty() ? absl::StrCat("rmat-", options.scale)
                                      : options.name;
  NodeContent nodes{"node", num_nodes, nullptr,
                    std::make_shared<RmatLabels>(options)};
  if (options.feat_dim > 0) nodes.x = std::make_shared<RmatFeatures>(options);
  if (options.node_times) {
    nodes.time = MakeTimes("rmat,node-times", num_nodes, options.random_seed);
  }
  content.node_types.push_back(std::move(nodes));
  ASSIGN_OR_RETURN(content.splits, MakeSplits(options));
  ASSIGN_OR_RETURN(EdgeRows rows, DrawEdges(options));
  EdgeContent edges;
  edges.src = edges.dst = "node";
  edges.rel = "to";
  ASSIGN_OR_RETURN(
      edges.in_edges,
      Adjacency::FromRows(std::move(rows), num_nodes, num_nodes, {}));
  if (options.edge_weights) {
    edges.weight = std::make_shared<RmatColumn<float>>(
        DType::kFloat32, options.edges,
        MakePurposeKey("rmat,edge-weights", options.random_seed), WeightOf);
  }
  if (options.edge_times) {
    edges.time =
        MakeTimes("rmat,edge-times", options.edges, options.random_seed);
  }
  for (const std::string& name : options.edge_masks) {
    edges.masks[name] = std::make_shared<RmatColumn<uint8_t>>(
        DType::kBool, options.edges,
        MakePurposeKey("rmat,edge-mask," + name, options.random_seed), MaskOf);
  }
  content.edge_types.push_back(std::move(edges));
  return content;
}

}  // namespace tributary
