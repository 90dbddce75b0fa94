// Sampling beside what the machine's memory can do, in the same run: figures
// of different machines compare by ratio.
//
//   bazel run -c opt //benchmarks/engine -- --scale=21 --edges=60000000
//
// "of_line_rate": edges sampled per random cache line that one core can read in
// as much memory. An edge is sampled when its neighbour and its edge id are
// read and the neighbour has its number in the batch; whole batches gather
// original ids as well.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "benchmarks/engine/rmat_graph.h"
#include "common/batch/batch_view.h"
#include "common/buffer.h"
#include "common/machine/memory_limits.h"
#include "common/session/hop_key.h"
#include "common/session/spec_builder.h"
#include "sampler_server/engine/batch_task.h"
#include "sampler_server/engine/hop.h"
#include "sampler_server/engine/local_numbering.h"
#include "sampler_server/kinds/registry.h"
#include "sampler_server/kinds/walk/walk_spec.h"
#include "sampler_server/kinds/walk/walk_step.h"

namespace tributary {
namespace {

using Rate = benchmark::Counter;

double g_lines_per_second = 0;  // set by the first benchmark
const RmatGraph* g_graph = nullptr;
constexpr uint64_t kInputs = 1024;
constexpr uint64_t kBatches = 1024;  // then the same inputs again

// Of this thread, so that other work on the machine counts little.
double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

// Random lines of as much memory as sampling reads, in huge pages, timed by the
// clock of its thread, like what is compared with it.
void RandomLines(benchmark::State& state) {
  const EdgePartition& edges = *g_graph->edges(0, 0);
  const uint64_t bytes = edges.indptr.size() * sizeof(uint64_t) +
                         edges.indices.size() * 2 * sizeof(uint32_t);
  for (auto _ : state) {
    g_lines_per_second =
        RandomLineRate(1, bytes, absl::Seconds(3)).per_cpu_second;
  }
  state.counters["lines"] = g_lines_per_second;
  state.counters["MiB"] = static_cast<double>(bytes >> 20);
}
BENCHMARK(RandomLines)->Iterations(1);

void Memcpy(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["bytes"] = MemcpyRate(1, absl::Seconds(1)).per_cpu_second;
  }
}
BENCHMARK(Memcpy)->Iterations(1);

void ReportEdges(benchmark::State& state, int64_t edges, double seconds) {
  const auto count = static_cast<double>(edges);
  state.counters["edges"] = Rate(count, Rate::kIsRate);
  state.counters["inputs"] =
      Rate(static_cast<double>(kInputs * state.iterations()), Rate::kIsRate);
  state.counters["of_line_rate"] = count / seconds / g_lines_per_second;
}

// Random nodes that have neighbours, as inputs of a training set have.
std::vector<uint64_t> InputsOf(uint64_t batch) {
  std::vector<uint64_t> inputs;
  PhiloxStream words(MakeHopKey({.batch = batch, .purpose = Purpose::kOrder}),
                     0);
  const auto n =
      static_cast<uint64_t>(g_graph->schema().node_types[0].num_nodes);
  const auto indptr = g_graph->edges(0, 0)->indptr;
  for (uint32_t i = 0; inputs.size() < kInputs; ++i) {
    const uint64_t v = words.BelowWide(i, n);
    if (indptr[v] < indptr[v + 1]) inputs.push_back(v);
  }
  return inputs;
}

// Inputs of batches, drawn before anything is measured.
const std::vector<std::vector<uint64_t>>& Inputs() {
  static const auto* const inputs = [] {
    auto* all = new std::vector<std::vector<uint64_t>>;
    for (uint64_t batch = 0; batch < kBatches; ++batch) {
      all->push_back(InputsOf(batch));
    }
    return all;
  }();
  return *inputs;
}

// Kernel and numbering alone, memory kept from batch to batch.
class HopsAndNumbering {
 public:
  // What is drawn: by `query`, from each edge type in turn.
  HopsAndNumbering(std::vector<const EdgePartition*> types,
                   std::vector<int32_t> fanouts, const HopQuery& query,
                   bool number_last = true)
      : types_(std::move(types)),
        fanouts_(std::move(fanouts)),
        query_(query),
        number_last_(number_last),
        num_nodes_(
            static_cast<uint64_t>(g_graph->schema().node_types[0].num_nodes)),
        numbering_(num_nodes_) {
    query_.exact_memory = false;
  }

  void Run(benchmark::State& state) {
    uint64_t batch = 0;
    int64_t edges = 0;
    Inputs();
    const double start = CpuSeconds();
    for (auto _ : state) edges += Sample(batch++);
    ReportEdges(state, edges, CpuSeconds() - start);
  }

 private:
  int64_t Sample(uint64_t batch) {
    const std::vector<uint64_t>& inputs = Inputs()[batch % kBatches];
    numbering_.Reset();
    local_.resize(kInputs);
    numbering_.Number(inputs, local_.data());
    int64_t edges = 0;
    size_t begin = 0;
    for (uint32_t hop = 0; hop < fanouts_.size(); ++hop) {
      const size_t end = numbering_.size();
      rows_.assign(numbering_.ids().begin() + begin, numbering_.ids().end());
      numbers_.resize(end - begin);
      std::iota(numbers_.begin(), numbers_.end(), begin);
      if (query_.time != TimeColumn::kNone) MakeBounds();
      for (size_t type = 0; type < types_.size(); ++type) {
        query_.key =
            MakeHopKey({.random_seed = type, .batch = batch, .hop = hop});
        edges += SampleType(*types_[type], hop);
      }
      begin = end;
    }
    return edges;
  }

  int64_t SampleType(const EdgePartition& edges, uint32_t hop) {
    query_.fanout = fanouts_[hop];
    query_.rows = rows_;
    query_.local_numbers = numbers_;
    query_.time_bound = bounds_;
    if (!SampleHop(edges, num_nodes_, query_, &out_).ok()) std::abort();
    local_.resize(std::max(local_.size(), out_.neighbors.size()));
    if (number_last_ || hop + 1 < fanouts_.size()) {
      numbering_.Number(out_.neighbors, local_.data());
    }
    return static_cast<int64_t>(out_.neighbors.size());
  }

  // Of each node: after one half of all times, or more.
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
  const bool number_last_;
  const uint64_t num_nodes_;
  LocalNumbering numbering_;
  HopEdges out_;
  std::vector<uint32_t> local_, numbers_;
  std::vector<uint64_t> rows_;
  std::vector<int64_t> bounds_;
};

void RunDraw(benchmark::State& state, const HopQuery& query) {
  HopsAndNumbering({g_graph->edges(0, 0)}, {15, 10, 5}, query).Run(state);
}

void Uniform(benchmark::State& state) { RunDraw(state, {}); }
BENCHMARK(Uniform)->MinTime(2);

// For the kernel's own share.
void UniformLastHopNotNumbered(benchmark::State& state) {
  HopsAndNumbering({g_graph->edges(0, 0)}, {15, 10, 5}, {}, false).Run(state);
}
BENCHMARK(UniformLastHopNotNumbered)->MinTime(2);

void WeightedWithReplacement(benchmark::State& state) {
  HopQuery query;
  query.draw = Draw::kWeighted;
  query.replace = true;
  RunDraw(state, query);
}
BENCHMARK(WeightedWithReplacement)->MinTime(2);

void WeightedWithout(benchmark::State& state) {
  HopQuery query;
  query.draw = Draw::kWeighted;
  RunDraw(state, query);
}
BENCHMARK(WeightedWithout)->MinTime(2);

void TemporalUniform(benchmark::State& state) {
  HopQuery query;
  query.time = TimeColumn::kEdge;
  RunDraw(state, query);
}
BENCHMARK(TemporalUniform)->MinTime(2);

void TemporalLatest(benchmark::State& state) {
  HopQuery query;
  query.time = TimeColumn::kEdge;
  query.latest = true;
  RunDraw(state, query);
}
BENCHMARK(TemporalLatest)->MinTime(2);

void Labor(benchmark::State& state) {
  HopQuery query;
  query.draw = Draw::kLabor;
  RunDraw(state, query);
}
BENCHMARK(Labor)->MinTime(2);

// The same edges in four types; fanouts that find about as many.
void FourTypes(benchmark::State& state) {
  std::vector<const EdgePartition*> types;
  for (int type = 0; type < RmatGraph::kTypes; ++type) {
    types.push_back(&g_graph->typed_edges(type));
  }
  HopsAndNumbering(types, {4, 3, 1}, {}).Run(state);
}
BENCHMARK(FourTypes)->MinTime(2);

// Runs what is posted, here and now.
class InlineExecutor final : public Executor {
 public:
  const Clock& clock() const override { return SteadyClock(); }
  void Post(Task task) override { tasks_.push_back(std::move(task)); }
  TimerId PostAt(absl::Time, Task) override { return 1; }
  bool CancelTimer(TimerId) override { return true; }
  void Drain() {
    while (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  std::deque<Task> tasks_;
};

// A step of a walk is an edge, too.
int64_t EdgesIn(absl::Span<const uint8_t> room) {
  const auto view = BatchView::Parse(room);
  if (!view.ok()) std::abort();
  const TensorView* walked = view->Find("walk_index");
  if (walked == nullptr) return view->Find("e_id")->shape[0];
  const auto index = walked->As<int32_t>();
  return std::count_if(index.begin(), index.end(),
                       [](int32_t i) { return i >= 0; }) -
         walked->shape[0];
}

class RoomSink final : public BatchSink {
 public:
  explicit RoomSink(size_t bytes) : room_(bytes) {}
  absl::Span<uint8_t> AllocateRoom(size_t bytes) override {
    return room_.span().first(bytes);
  }
  void Ready(size_t bytes) override {
    bytes_ += bytes;
    edges_ += EdgesIn(room_.span().first(bytes));
  }
  void Needs(size_t) override { std::abort(); }
  void Failed(absl::Status) override { std::abort(); }
  void StageChanged(BatchStage) override {}
  size_t bytes() const { return bytes_; }
  int64_t edges() const { return edges_; }

 private:
  AlignedBuffer room_;
  size_t bytes_ = 0;
  int64_t edges_ = 0;
};

std::shared_ptr<const SamplingPlan> MakePlan() {
  const GraphSchema& schema = g_graph->schema();
  SpecGraph graph{schema.name, {}, {}, {"node"}, {"node,to,node"}};
  SpecOptions options;
  options.input_count = UINT64_MAX >> 1;
  options.num_neighbors.by_default = {15, 10, 5};
  options.batch_size = kInputs;
  auto spec = BuildSessionSpec(graph, options);
  if (!spec.ok()) std::abort();
  auto plan = MakePlan(schema, *spec);
  if (!plan.ok()) std::abort();
  return std::make_shared<SamplingPlan>(*std::move(plan));
}

// Whole batches as a server makes them, to the last tensor in the room.
void RunBatches(benchmark::State& state,
                std::shared_ptr<const SamplingPlan> plan) {
  constexpr size_t kRoom = size_t{12} << 20;  // of graphs up to scale 22
  InlineExecutor executor;
  const auto sink = std::make_shared<RoomSink>(kRoom);
  uint64_t batch = 0;
  Inputs();
  const double start = CpuSeconds();
  for (auto _ : state) {
    BatchRequest request;
    request.plan = plan;
    request.key.index = batch;
    for (uint64_t id : Inputs()[batch++ % kBatches]) {
      request.original_id.push_back(static_cast<int64_t>(id));
      request.input_number.push_back(static_cast<int64_t>(id));
    }
    request.max_bytes = kRoom;
    request.deadline = absl::InfiniteFuture();
    StartBatchTask({g_graph, nullptr, &executor}, std::move(request), sink);
    executor.Drain();
  }
  const double seconds = CpuSeconds() - start;
  state.SetBytesProcessed(static_cast<int64_t>(sink->bytes()));
  state.counters["seconds_per_batch"] =
      seconds / static_cast<double>(state.iterations());
  ReportEdges(state, sink->edges(), seconds);
}
void WholeBatches(benchmark::State& state) { RunBatches(state, MakePlan()); }
BENCHMARK(WholeBatches)->MinTime(2);

constexpr uint32_t kWalkLength = 40, kWalksPerNode = 10;

// The kernel alone: all walks of a batch step together. An edge is a step.
void WalkSteps(benchmark::State& state) {
  const EdgePartition& edges = *g_graph->edges(0, 0);
  const auto n =
      static_cast<uint64_t>(g_graph->schema().node_types[0].num_nodes);
  std::vector<uint64_t> rows, next;
  std::vector<uint32_t> walks;
  int64_t total = 0;
  uint64_t batch = 0;
  Inputs();
  const double start = CpuSeconds();
  for (auto _ : state) {
    rows.clear();
    for (uint64_t id : Inputs()[batch % kBatches]) {
      rows.insert(rows.end(), kWalksPerNode, id);
    }
    walks.resize(rows.size());
    for (uint32_t w = 0; w < walks.size(); ++w) walks[w] = w;
    WalkQuery query;
    query.key = MakeHopKey({.batch = batch++, .purpose = Purpose::kWalks});
    for (query.step = 0; query.step < kWalkLength; ++query.step) {
      next.resize(rows.size());
      query.rows = rows;
      query.walks = walks;
      if (!DrawWalkSteps(edges, n, query, next.data()).ok()) std::abort();
      size_t left = 0;
      for (size_t i = 0; i < next.size(); ++i) {
        rows[left] = next[i];
        walks[left] = walks[i];
        left += next[i] != kNoNode ? 1 : 0;
      }
      rows.resize(left);
      walks.resize(left);
      total += static_cast<int64_t>(left);
    }
  }
  ReportEdges(state, total, CpuSeconds() - start);
}
BENCHMARK(WalkSteps)->MinTime(2);

std::shared_ptr<const SamplingPlan> MakeWalkPlan(double q) {
  const GraphSchema& schema = g_graph->schema();
  SpecGraph graph{schema.name, {}, {}, {"node"}, {"node,to,node"}};
  SpecOptions options;
  options.input_count = UINT64_MAX >> 1;
  options.batch_size = kInputs;
  auto spec = BuildWalkSpec(
      graph, options,
      {.walk_length = kWalkLength, .walks_per_node = kWalksPerNode, .q = q});
  if (!spec.ok()) std::abort();
  auto plan = MakePlan(schema, *spec);
  if (!plan.ok()) std::abort();
  return std::make_shared<SamplingPlan>(*std::move(plan));
}

// As a server makes them: numbered, with original ids. By node2vec's q.
void WholeWalkBatches(benchmark::State& state) {
  RunBatches(state, MakeWalkPlan(static_cast<double>(state.range(0))));
}
BENCHMARK(WholeWalkBatches)->Arg(1)->Arg(2)->MinTime(2);

int64_t FlagOf(int argc, char** argv, const std::string& name,
               int64_t otherwise) {
  const std::string prefix = "--" + name + "=";
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) == 0) {
      return std::atoll(argv[i] + prefix.size());
    }
  }
  return otherwise;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto scale =
      static_cast<int>(tributary::FlagOf(argc, argv, "scale", 19));
  const int64_t edges =
      tributary::FlagOf(argc, argv, "edges", int64_t{28} << scale);
  if (scale < 10 || scale > 28 || edges < 1 || edges > UINT32_MAX) {
    std::fprintf(stderr, "allowed: --scale=10..28 --edges=1..4294967295\n");
    return 2;
  }
  const tributary::RmatGraph graph(scale, edges, /*seed=*/1);
  tributary::g_graph = &graph;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
