// Benchmarks each draw mode of the hop kernel: hops and local numbering,
// without the rest of a batch.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "benchmarks/engine/bench_inputs.h"
#include "common/random/hop_key.h"
#include "sampler_server/engine/hop/hop.h"
#include "sampler_server/engine/ids/local_numbering.h"

namespace tributary {
namespace {

// Runs kernel and numbering, and reuses memory from batch to batch.
class HopsAndNumbering {
 public:
  // Samples by `query`, from each edge type in turn.
  HopsAndNumbering(std::vector<const EdgePartition*> types,
                   std::vector<int32_t> fanouts, const HopQuery& query,
                   bool number_last = true)
      : types_(std::move(types)),
        fanouts_(std::move(fanouts)),
        query_(query),
        number_last_(number_last),
        num_nodes_(static_cast<uint64_t>(
            BenchGraph().schema().node_types[0].num_nodes)),
        numbering_(num_nodes_) {
    query_.exact_memory = false;
  }

  // Excludes, as link inputs do, an edge of each input and one that does not
  // exist.
  void ExcludeOfInputs() { excludes_ = true; }

  void Run(benchmark::State& state) {
    uint64_t batch = 0;
    int64_t edges = 0;
    Inputs();
    const double start = CpuSeconds();
    for (auto _ : state) edges += Sample(batch++);
    const double seconds = CpuSeconds() - start;
    ReportEdges(state, edges, seconds);
    ReportLines(state, seconds / static_cast<double>(batch));
  }

 private:
  // Reports the share of a batch's time that reading its cache lines takes at
  // the machine's rate.
  void ReportLines(benchmark::State& state, double seconds) {
    query_.want_positions = counts_lines_ = true;
    for (uint64_t batch = 0; batch < kCounted; ++batch) Sample(batch);
    query_.want_positions = counts_lines_ = false;
    const double lines = static_cast<double>(lines_) / kCounted;
    state.counters["lines"] = lines;
    state.counters["line_time"] = lines / LinesPerSecond() / seconds;
  }

  int64_t Sample(uint64_t batch) {
    const std::vector<uint64_t>& inputs = Inputs()[batch % kBatches];
    numbering_.Reset();
    local_.resize(kInputs);
    numbering_.Number(inputs, local_.data());
    if (excludes_) Exclude(inputs);
    int64_t edges = 0;
    size_t begin = 0;
    for (uint32_t hop = 0; hop < fanouts_.size(); ++hop) {
      const size_t end = numbering_.size();
      rows_.assign(numbering_.ids().begin() + begin, numbering_.ids().end());
      numbers_.resize(end - begin);
      std::iota(numbers_.begin(), numbers_.end(), begin);
      if (query_.time != TimeMode::kNone) MakeBounds();
      for (size_t type = 0; type < types_.size(); ++type) {
        query_.key =
            MakeHopKey({.random_seed = type, .batch = batch, .hop = hop});
        edges += SampleType(*types_[type], hop);
      }
      begin = end;
    }
    return edges;
  }

  void Exclude(const std::vector<uint64_t>& inputs) {
    const EdgePartition& edges = *types_[0];
    excluded_.by_id.clear();
    excluded_.by_source.clear();
    for (uint64_t node : inputs) {
      excluded_.by_source.push_back({node, edges.indices[edges.indptr[node]]});
      excluded_.by_id.push_back({node, INT64_MAX});
    }
    if (!excluded_.Finish().ok()) std::abort();
    query_.excluded = {excluded_, 0, num_nodes_};
  }

  int64_t SampleType(const EdgePartition& edges, uint32_t hop) {
    query_.fanout = fanouts_[hop];
    query_.rows = rows_;
    query_.local_numbers = numbers_;
    query_.time_bound = bounds_;
    if (!SampleHop(edges, num_nodes_, query_, &out_).ok()) std::abort();
    if (counts_lines_) CountLines(edges);
    local_.resize(std::max(local_.size(), out_.neighbors.size()));
    if (number_last_ || hop + 1 < fanouts_.size()) {
      numbering_.Number(out_.neighbors, local_.data());
    }
    return static_cast<int64_t>(out_.neighbors.size());
  }

  // Adds the cache lines that hold the nodes' row starts, drawn neighbours and
  // edge ids, counted for each row separately. Does not count what else a draw
  // reads.
  void CountLines(const EdgePartition& edges) {
    const auto line = [](uint64_t place, size_t bytes) {
      return place * bytes / 64;
    };
    const auto count = [this](uint64_t& last, uint64_t line) {
      lines_ += line != last;
      last = line;
    };
    const size_t id = edges.indices.wide() ? 8 : 4;
    const size_t edge_id = edges.edge_id.wide() ? 8 : 4;
    size_t at = 0;
    for (size_t node = 0; node < rows_.size(); ++node) {
      lines_ += 1 + line(rows_[node] + 1, 8) - line(rows_[node], 8);
      uint64_t last_id = UINT64_MAX, last_edge_id = UINT64_MAX;
      for (uint32_t j = 0; j < out_.counts[node]; ++j) {
        const uint64_t slot = out_.positions[at++];  // ascending in a row
        count(last_id, line(slot, id));
        count(last_edge_id, line(slot, edge_id));
      }
    }
  }

  // Gives each node a bound after at least half of all times.
  void MakeBounds() {
    constexpr int64_t kHalf = RmatGraph::kTimes / 2;
    bounds_.resize(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) {
      bounds_[i] = kHalf + numbers_[i] * int64_t{2654435761} % kHalf;
    }
  }

  const std::vector<const EdgePartition*> types_;
  const std::vector<int32_t> fanouts_;
  HopQuery query_;
  bool excludes_ = false;
  ExcludedEdges excluded_;
  const bool number_last_;
  const uint64_t num_nodes_;
  LocalNumbering numbering_;
  HopEdges out_;
  std::vector<uint32_t> local_, numbers_;
  std::vector<uint64_t> rows_;
  std::vector<int64_t> bounds_;
  static constexpr uint64_t kCounted = 16;  // batches whose lines are counted
  bool counts_lines_ = false;
  uint64_t lines_ = 0;
};

void RunDraw(benchmark::State& state, const HopQuery& query) {
  HopsAndNumbering({BenchGraph().edges(0, 0)}, {15, 10, 5}, query).Run(state);
}

void Uniform(benchmark::State& state) { RunDraw(state, {}); }
BENCHMARK(Uniform)->MinTime(2);

void UniformExcluding(benchmark::State& state) {
  HopsAndNumbering hops({BenchGraph().edges(0, 0)}, {15, 10, 5}, {});
  hops.ExcludeOfInputs();
  hops.Run(state);
}
BENCHMARK(UniformExcluding)->MinTime(2);

// Makes half of the edges eligible, by their times.
void UniformByPredicate(benchmark::State& state) {
  EdgeTypeSchema type;
  type.timed = true;
  EdgeCondition early;
  early.column = EdgeColumn::kTime;
  early.comparison = Comparison::kLess;
  early.whole = RmatGraph::kTimes / 2;
  HopQuery query;
  query.predicate = EdgePredicate::Make(type, {early}).value();
  RunDraw(state, query);
}
BENCHMARK(UniformByPredicate)->MinTime(2);

// Shows the share of the kernel alone.
void UniformLastHopNotNumbered(benchmark::State& state) {
  HopsAndNumbering({BenchGraph().edges(0, 0)}, {15, 10, 5}, {}, false)
      .Run(state);
}
BENCHMARK(UniformLastHopNotNumbered)->MinTime(2);

void WeightedWithReplacement(benchmark::State& state) {
  HopQuery query;
  query.draw = DrawMode::kWeighted;
  query.replace = true;
  RunDraw(state, query);
}
BENCHMARK(WeightedWithReplacement)->MinTime(2);

void WeightedWithout(benchmark::State& state) {
  HopQuery query;
  query.draw = DrawMode::kWeighted;
  RunDraw(state, query);
}
BENCHMARK(WeightedWithout)->MinTime(2);

void TemporalUniform(benchmark::State& state) {
  HopQuery query;
  query.time = TimeMode::kEdge;
  RunDraw(state, query);
}
BENCHMARK(TemporalUniform)->MinTime(2);

void TemporalLatest(benchmark::State& state) {
  HopQuery query;
  query.time = TimeMode::kEdge;
  query.latest = true;
  RunDraw(state, query);
}
BENCHMARK(TemporalLatest)->MinTime(2);

void Labor(benchmark::State& state) {
  HopQuery query;
  query.draw = DrawMode::kLabor;
  RunDraw(state, query);
}
BENCHMARK(Labor)->MinTime(2);

// Has the same edges in four types, with fanouts that find about as many.
void FourTypes(benchmark::State& state) {
  std::vector<const EdgePartition*> types;
  for (int type = 0; type < RmatGraph::kTypes; ++type) {
    types.push_back(&BenchGraph().typed_edges(type));
  }
  HopsAndNumbering(types, {4, 3, 1}, {}).Run(state);
}
BENCHMARK(FourTypes)->MinTime(2);

}  // namespace
}  // namespace tributary
