// Measures the segment operations of the trainer's layers, forward and
// backward, beside compositions of LibTorch's operators in the same run.
//
//   ./dev bench segment --benchmark_min_time=2
//
// A result of some 50 MB that is freed after each step goes back to the kernel,
// and its pages are cleared again in the next: most of the time of the fast
// ones. So freed memory is kept, unless --fresh-memory is given.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdint>
#include <random>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trainer_client/torch/nn/segment/segment_compositions.h"
#include "trainer_client/torch/nn/segment/segment_ops.h"

namespace tributary {
namespace {

constexpr int64_t kChannels = 256;
constexpr int kInputs = 64;
constexpr int64_t kGraphNodes = 2'000'000;

struct Edges {
  std::vector<int32_t> indptr{0};
  std::vector<int32_t> src;
  int64_t num_src = 0;
};

// The first layer of a batch of `kInputs` inputs and [15, 10, 5] neighbours:
// nodes are numbered as they are found, a fifth of the draws are of nodes of
// many edges.
Edges FirstLayer() {
  std::mt19937_64 random(1);
  std::unordered_map<int64_t, int32_t> numbers;
  std::vector<int64_t> nodes;
  const auto number = [&](int64_t id) {
    const auto [at, is_new] =
        numbers.emplace(id, static_cast<int32_t>(nodes.size()));
    if (is_new) nodes.push_back(id);
    return at->second;
  };
  Edges edges;
  for (int i = 0; i < kInputs; ++i) number(random() % kGraphNodes);
  size_t begin = 0;
  for (const int fanout : {15, 10, 5}) {
    const size_t end = nodes.size();
    for (; begin < end; ++begin) {
      for (int k = 0; k < fanout; ++k) {
        const bool popular = random() % 5 == 0;
        const uint64_t range = popular ? kGraphNodes / 1000 : kGraphNodes;
        edges.src.push_back(number(static_cast<int64_t>(random() % range)));
      }
      edges.indptr.push_back(static_cast<int32_t>(edges.src.size()));
    }
  }
  edges.num_src = static_cast<int64_t>(nodes.size());
  return edges;
}

struct Block {
  Block() : edges(FirstLayer()) {
    indptr = at::tensor(edges.indptr, at::kInt);
    src = at::tensor(edges.src, at::kInt);
    known = Segments(indptr, src, edges.num_src);
    known.EdgeSegment();
    known.EdgeCounts();
    x = at::randn({edges.num_src, kChannels}).requires_grad_();
    g = at::randn({static_cast<int64_t>(edges.indptr.size()) - 1, kChannels});
  }
  // For our operations new in each step, as in training: nothing is derived
  // from the edges yet. Compositions are given each edge's segment, as PyG has
  // it.
  Segments segments(bool composed) const {
    if (composed) return known;
    return {indptr, src, edges.num_src};
  }

  Edges edges;
  at::Tensor indptr, src, x, g;
  Segments known{at::zeros({1}, at::kInt), at::zeros({0}, at::kInt), 0};
};

const Block& TheBlock() {
  static const auto* const block = new Block;
  return *block;
}

// PyG's way of the maximum and of sums where there is no index_add.
at::Tensor ScatterReduce(const at::Tensor& x, const Segments& s,
                         const char* how) {
  const at::Tensor rows = x.index_select(0, s.src());
  return at::zeros({s.num_segments(), x.size(1)}, x.options())
      .scatter_reduce(0, s.EdgeSegment().unsqueeze(1).expand(rows.sizes()),
                      rows, how, /*include_self=*/false);
}

at::Tensor EmbeddingBag(const at::Tensor& x, const Segments& s, int64_t mode) {
  return std::get<0>(
      at::embedding_bag(x, s.src(), s.indptr(), false, mode, false, {}, true));
}

at::Tensor BagSum(const at::Tensor& x, const Segments& s) {
  return EmbeddingBag(x, s, 0);
}
at::Tensor BagMean(const at::Tensor& x, const Segments& s) {
  return EmbeddingBag(x, s, 1);
}
at::Tensor ScatterMean(const at::Tensor& x, const Segments& s) {
  return ScatterReduce(x, s, "mean");
}
at::Tensor ScatterMax(const at::Tensor& x, const Segments& s) {
  return ScatterReduce(x, s, "amax");
}

using Operation = at::Tensor (*)(const at::Tensor&, const Segments&);

void Forward(benchmark::State& state, Operation operation, bool composed) {
  at::set_num_threads(1);
  const Block& block = TheBlock();
  const at::NoGradGuard no_grad;
  for (auto _ : state) {
    benchmark::DoNotOptimize(operation(block.x, block.segments(composed)));
  }
}

void ForwardBackward(benchmark::State& state, Operation operation,
                     bool composed) {
  at::set_num_threads(1);
  const Block& block = TheBlock();
  for (auto _ : state) {
    block.x.mutable_grad().reset();
    operation(block.x, block.segments(composed)).backward(block.g);
  }
  state.counters["edges"] = static_cast<double>(block.edges.src.size());
  state.counters["rows"] = static_cast<double>(block.edges.num_src);
}

#define SEGMENT_BENCHMARK(name, ...)                    \
  BENCHMARK_CAPTURE(ForwardBackward, name, __VA_ARGS__) \
      ->Unit(benchmark::kMillisecond);                  \
  BENCHMARK_CAPTURE(Forward, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)

SEGMENT_BENCHMARK(mean, SegmentMean, false);
SEGMENT_BENCHMARK(mean_embedding_bag, BagMean, true);
SEGMENT_BENCHMARK(mean_index_add, ComposedSegmentMean, true);
SEGMENT_BENCHMARK(mean_scatter_reduce, ScatterMean, true);
SEGMENT_BENCHMARK(sum, SegmentSum, false);
SEGMENT_BENCHMARK(sum_embedding_bag, BagSum, true);
SEGMENT_BENCHMARK(sum_index_add, ComposedSegmentSum, true);
SEGMENT_BENCHMARK(max, SegmentMax, false);
SEGMENT_BENCHMARK(max_scatter_reduce, ScatterMax, true);

// Attention of 4 heads of 64 channels.
void Attention(benchmark::State& state, bool composed) {
  at::set_num_threads(1);
  const Block& block = TheBlock();
  const at::Tensor scores =
      at::randn({static_cast<int64_t>(block.edges.src.size()), 4})
          .requires_grad_();
  for (auto _ : state) {
    block.x.mutable_grad().reset();
    scores.mutable_grad().reset();
    const Segments s = block.segments(composed);
    const at::Tensor x = block.x.view({-1, 4, kChannels / 4});
    const at::Tensor out =
        composed ? ComposedSegmentWeightedSum(
                       x, ComposedSegmentSoftmax(scores, s), s)
                 : SegmentWeightedSum(x, SegmentSoftmax(scores, s), s);
    out.backward(block.g.view({-1, 4, kChannels / 4}));
  }
}
BENCHMARK_CAPTURE(Attention, attention, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Attention, attention_composed, true)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const bool fresh = argc > 1 && std::string_view(argv[1]) == "--fresh-memory";
  if (!fresh) {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
  }
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
