#include "partition/pipeline/inputs/rmat/rmat_columns.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/random/permutation.h"
#include "common/random/purpose_key.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// floor(p * 2^32) for p = a, a + b, a + b + c of a, b, c, d = 0.57, 0.19,
// 0.19, 0.05.
constexpr uint32_t kBelowA = 2448131358;
constexpr uint32_t kBelowB = 3264175144;
constexpr uint32_t kBelowC = 4080218931;
constexpr size_t kGrain = 16384;
// A table of more ids would take more than 256 MiB.
constexpr int kMaxTableScale = 26;

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
  const auto low = static_cast<uint32_t>(index);
  const auto high = static_cast<uint32_t>(index >> 32);
  Edge edge;
  for (int level = 0; level < scale; level += 4) {
    const PhiloxBlock block =
        Philox4x32(key, {{static_cast<uint32_t>(level / 4), low, high, 0}});
    for (int j = 0; j < 4 && level + j < scale; ++j) {
      const uint32_t word = block.word[j];
      const bool lower = word >= kBelowB;  // c or d
      const bool right = ((word >= kBelowA) & !lower) | (word >= kBelowC);
      edge.src = edge.src << 1 | static_cast<uint64_t>(lower);
      edge.dst = edge.dst << 1 | static_cast<uint64_t>(right);
    }
  }
  return edge;
}

int64_t LabelOf(PhiloxKey key, int64_t node, int64_t classes) {
  PhiloxStream stream = StreamOf(key, static_cast<uint64_t>(node));
  return stream.BelowNarrow(0, static_cast<uint32_t>(classes));
}

// A column whose rows put(row, out) computes.
template <typename Put>
class ComputedColumn final : public Column {
 public:
  ComputedColumn(ColumnSchema schema, int64_t num_rows, Put put)
      : Column(schema, num_rows), put_(std::move(put)) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    for (int64_t row = begin; row < begin + count; ++row) {
      put_(row, out);
      out += schema().row_bytes();
    }
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override {
    return absl::StrCat("R-MAT, row ", row);
  }

 private:
  const Put put_;
};

template <typename Put>
ColumnPtr MakeColumn(ColumnSchema schema, int64_t num_rows, Put put) {
  return std::make_shared<ComputedColumn<Put>>(schema, num_rows,
                                               std::move(put));
}

// A column of one value per row, made from the row's stream.
template <typename T>
ColumnPtr MakeValues(DType dtype, int64_t num_rows, PhiloxKey key,
                     T (*value_of)(PhiloxStream& stream)) {
  return MakeColumn(
      {dtype, 0}, num_rows, [key, value_of](int64_t row, uint8_t* out) {
        PhiloxStream stream = StreamOf(key, static_cast<uint64_t>(row));
        const T value = value_of(stream);
        std::memcpy(out, &value, sizeof(value));
      });
}

// Returns a value in [0, 1), exact in float32; zero once in 2^24.
float WeightOf(PhiloxStream& stream) {
  return static_cast<float>(stream.Word(0) >> 8) * 0x1p-24f;
}

// One of a million instants, so that hubs have edges of equal time.
int64_t TimeOf(PhiloxStream& stream) { return stream.BelowNarrow(0, 1000000); }

uint8_t MaskOf(PhiloxStream& stream) {
  return static_cast<uint8_t>(stream.Word(0) >> 31);
}

// Rounds a value of (-4, 4) to the nearest float16, ties to even.
uint16_t ToFloat16(float value) {
  constexpr uint32_t kSign = 0x80000000, kLeastNormal = 0x38800000;  // 2^-14
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t size = bits & ~kSign;
  uint32_t half;
  if (size < kLeastNormal) {
    // The sum's unit is float16's least number, so that the addition rounds.
    const float sum = std::bit_cast<float>(size) + 0.5f;
    half = std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f);
  } else {
    const uint32_t odd = size >> 13 & 1;
    half = (size - (112u << 23) + 0xfff + odd) >> 13;
  }
  return static_cast<uint16_t>(half | (bits & kSign) >> 16);
}

int64_t NumNodes(const RmatOptions& options) {
  return int64_t{1} << options.scale;
}

}  // namespace

// v -> order[v]: R-MAT's hubs have the lowest numbers.
class RmatEdges::Names {
 public:
  static absl::StatusOr<std::unique_ptr<const Names>> Make(
      const RmatOptions& options) {
    const auto n = static_cast<uint64_t>(NumNodes(options));
    auto names = std::make_unique<Names>(
        Permutation::Keyed(n, MakePurposeKey("rmat,ids", options.random_seed)));
    if (options.scale > kMaxTableScale) return names;
    std::vector<uint32_t>& table = names->table_;
    table.resize(n);
    RETURN_IF_ERROR(ParallelFor(n, kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        table[i] = static_cast<uint32_t>(names->permutation_[i]);
      }
      return absl::OkStatus();
    }));
    return names;
  }
  explicit Names(Permutation permutation)
      : permutation_(std::move(permutation)) {}

  int64_t operator[](uint64_t number) const {
    return static_cast<int64_t>(table_.empty() ? permutation_[number]
                                               : table_[number]);
  }

 private:
  const Permutation permutation_;
  std::vector<uint32_t> table_;
};

// One end of all edges.
class RmatEdges::End final : public Column {
 public:
  End(std::shared_ptr<const RmatEdges> edges, bool from)
      : Column({DType::kInt64, 0}, edges->num_edges()),
        edges_(std::move(edges)),
        from_(from) {}

  absl::Status Read(int64_t begin, int64_t count, uint8_t* out) const override {
    int64_t block[1024];
    for (int64_t done = 0; done < count;) {
      const int64_t n = std::min<int64_t>(count - done, std::size(block));
      edges_->Draw(begin + done, n, from_ ? block : nullptr,
                   from_ ? nullptr : block);
      std::memcpy(out + done * sizeof(int64_t), block, n * sizeof(int64_t));
      done += n;
    }
    return absl::OkStatus();
  }
  std::string Where(int64_t row) const override {
    return absl::StrCat("R-MAT, edge ", row);
  }

 private:
  const std::shared_ptr<const RmatEdges> edges_;
  const bool from_;
};

RmatEdges::RmatEdges(const RmatOptions& options)
    : scale_(options.scale),
      num_edges_(options.edges),
      key_(MakePurposeKey("rmat,edges", options.random_seed)) {}
RmatEdges::~RmatEdges() = default;

absl::StatusOr<std::shared_ptr<const RmatEdges>> RmatEdges::Make(
    const RmatOptions& options) {
  std::shared_ptr<RmatEdges> edges(new RmatEdges(options));
  ASSIGN_OR_RETURN(edges->names_, Names::Make(options));
  return edges;
}

void RmatEdges::Draw(int64_t begin, int64_t count, int64_t* from, int64_t* to,
                     int64_t stride) const {
  const Names& names = *names_;
  for (int64_t i = 0; i < count; ++i) {
    const Edge edge = DrawEdge(key_, static_cast<uint64_t>(begin + i), scale_);
    if (from != nullptr) from[i * stride] = names[edge.src];
    if (to != nullptr) to[i * stride] = names[edge.dst];
  }
}

ColumnPtr RmatEdges::From(std::shared_ptr<const RmatEdges> edges) {
  return std::make_shared<End>(std::move(edges), /*from=*/true);
}

ColumnPtr RmatEdges::To(std::shared_ptr<const RmatEdges> edges) {
  return std::make_shared<End>(std::move(edges), /*from=*/false);
}

ColumnPtr RmatLabels(const RmatOptions& options) {
  const PhiloxKey key = MakePurposeKey("rmat,labels", options.random_seed);
  return MakeColumn(
      {DType::kInt64, 0}, NumNodes(options),
      [key, classes = options.classes](int64_t row, uint8_t* out) {
        const int64_t label = LabelOf(key, row, classes);
        std::memcpy(out, &label, sizeof(label));
      });
}

// Uniform noise in [-1, 1), plus 1 in the column of the label: enough for a
// model to learn from. All sums are exact in float32.
ColumnPtr RmatFeatures(const RmatOptions& options) {
  const PhiloxKey labels = MakePurposeKey("rmat,labels", options.random_seed);
  const PhiloxKey key = MakePurposeKey("rmat,features", options.random_seed);
  const bool narrow = options.feat_dtype == DType::kFloat16;
  const int64_t dim = options.feat_dim, classes = options.classes;
  const auto put = [=](int64_t row, uint8_t* out) {
    const int64_t label = LabelOf(labels, row, classes);
    PhiloxStream stream = StreamOf(key, static_cast<uint64_t>(row));
    for (int64_t j = 0; j < dim; ++j) {
      const uint32_t word = stream.Word(static_cast<uint32_t>(j));
      float value = static_cast<float>(word >> 8) * 0x1p-23f - 1.0f;
      if (j % classes == label) value += 1.0f;
      if (narrow) {
        const uint16_t half = ToFloat16(value);
        std::memcpy(out + j * sizeof(half), &half, sizeof(half));
      } else {
        std::memcpy(out + j * sizeof(value), &value, sizeof(value));
      }
    }
  };
  return MakeColumn({options.feat_dtype, dim}, NumNodes(options), put);
}

ColumnPtr RmatNodeTimes(const RmatOptions& options) {
  return MakeValues(DType::kInt64, NumNodes(options),
                    MakePurposeKey("rmat,node-times", options.random_seed),
                    TimeOf);
}

ColumnPtr RmatEdgeTimes(const RmatOptions& options) {
  return MakeValues(DType::kInt64, options.edges,
                    MakePurposeKey("rmat,edge-times", options.random_seed),
                    TimeOf);
}

ColumnPtr RmatEdgeWeights(const RmatOptions& options) {
  return MakeValues(DType::kFloat32, options.edges,
                    MakePurposeKey("rmat,edge-weights", options.random_seed),
                    WeightOf);
}

ColumnPtr RmatEdgeMask(const RmatOptions& options, const std::string& name) {
  return MakeValues(
      DType::kBool, options.edges,
      MakePurposeKey("rmat,edge-mask," + name, options.random_seed), MaskOf);
}

}  // namespace tributary
