#include "benchmarks/engine/whole_batches.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>

#include "benchmarks/engine/bench_inputs.h"
#include "common/batch/batch_view.h"
#include "common/batch/compact/compact_expander.h"
#include "common/io/buffer.h"
#include "common/session/kinds/neighbor_spec.h"
#include "common/session/spec_builder.h"
#include "sampler_server/engine/batch_task.h"
#include "sampler_server/kinds/registry.h"

namespace tributary {
namespace {

// Runs posted functions at once, on the calling thread.
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

int64_t EdgesIn(absl::Span<const uint8_t> room) {
  const auto view = BatchView::Parse(room);
  if (!view.ok()) std::abort();
  const TensorView* walked = view->Find("walk_index");
  if (walked == nullptr) return view->Find("edge_index")->shape[1];
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
  void Ready(size_t bytes, LeftOut left_out) override {
    bytes_ += bytes - left_out.bytes();
    edges_ += EdgesIn(room_.span().first(bytes));
    total_ = bytes;
    left_out_ = std::move(left_out);
  }
  void Needs(size_t) override { std::abort(); }
  void Failed(absl::Status) override { std::abort(); }
  void StageChanged(BatchStage) override {}
  size_t bytes() const { return bytes_; }  // of rooms
  // The latest batch as its trainer receives it.
  AlignedBuffer Received(LeftOut* left_out) const {
    AlignedBuffer slot(total_);
    size_t from = 0, to = 0;
    const auto copy = [&](size_t end) {
      std::memcpy(slot.data() + to, room_.data() + from, end - to);
      from += end - to;
      to = end;
    };
    for (const BatchGap& gap : left_out_.gaps) {
      copy(gap.offset);
      to += gap.bytes;
    }
    copy(total_);
    *left_out = left_out_;
    return slot;
  }
  int64_t edges() const { return edges_; }

 private:
  AlignedBuffer room_;
  size_t bytes_ = 0;
  int64_t edges_ = 0;
  size_t total_ = 0;
  LeftOut left_out_;
};

std::shared_ptr<const SamplingPlan> MakeHopPlan(bool omit_edge_ids = false) {
  const GraphSchema& schema = BenchGraph().schema();
  SpecGraph graph{schema.name, {}, {}, {"node"}, {"node,to,node"}};
  SpecOptions options;
  options.input_count = UINT64_MAX >> 1;
  options.num_neighbors = {15, 10, 5};
  options.batch_size = kInputs;
  options.omit_edge_ids = omit_edge_ids;
  auto spec = BuildNeighborSpec(graph, options);
  if (!spec.ok()) std::abort();
  auto plan = MakePlan(schema, *spec);
  if (!plan.ok()) std::abort();
  return std::make_shared<SamplingPlan>(*std::move(plan));
}

constexpr size_t kRoom = size_t{12} << 20;  // of graphs up to scale 22

void MakeBatch(std::shared_ptr<const SamplingPlan> plan, uint64_t batch,
               bool compact, InlineExecutor& executor,
               const std::shared_ptr<RoomSink>& sink) {
  BatchRequest request;
  request.plan = std::move(plan);
  request.key.index = batch;
  for (uint64_t id : Inputs()[batch % kBatches]) {
    request.original_id.push_back(static_cast<int64_t>(id));
    request.input_number.push_back(static_cast<int64_t>(id));
  }
  request.max_bytes = kRoom;
  request.deadline = absl::InfiniteFuture();
  request.compact = compact;
  StartBatchTask({&BenchGraph(), nullptr, &executor}, std::move(request), sink);
  executor.Drain();
}

void WholeBatches(benchmark::State& state) { RunBatches(state, MakeHopPlan()); }
BENCHMARK(WholeBatches)->MinTime(2);

void WithoutEdgeIdsBatches(benchmark::State& state) {
  RunBatches(state, MakeHopPlan(/*omit_edge_ids=*/true));
}
BENCHMARK(WithoutEdgeIdsBatches)->MinTime(2);

void CompactBatches(benchmark::State& state) {
  RunBatches(state, MakeHopPlan(), /*compact=*/true);
}
BENCHMARK(CompactBatches)->MinTime(2);

// Expands the edges of one batch again and again, by the instruction set of
// that number.
void ExpandEdges(benchmark::State& state) {
  const auto path = static_cast<size_t>(state.range(0));
  if (path >= CompactPaths().size()) return state.SkipWithError("not here");
  state.SetLabel(CompactPaths()[path].name);
  InlineExecutor executor;
  const auto sink = std::make_shared<RoomSink>(kRoom);
  MakeBatch(MakeHopPlan(), 0, /*compact=*/true, executor, sink);
  LeftOut left_out;
  const AlignedBuffer received = sink->Received(&left_out);
  AlignedBuffer slot(received.size());
  for (auto _ : state) {
    state.PauseTiming();
    std::memcpy(slot.data(), received.data(), received.size());
    const auto batch = BatchView::Parse(slot.span());
    state.ResumeTiming();
    for (const char* name : {"e_id", "edge_index"}) {
      const TensorView& tensor = *batch->Find(name);
      const absl::Span<uint8_t> bytes(const_cast<uint8_t*>(tensor.data.data()),
                                      tensor.data.size());
      const auto at = static_cast<uint64_t>(bytes.data() - slot.data());
      const auto gap = std::find_if(
          left_out.gaps.begin(), left_out.gaps.end(),
          [at](const BatchGap& each) { return each.offset == at; });
      if (gap == left_out.gaps.end()) std::abort();
      auto expander =
          name[1] == '_'
              ? ExpandEdgeIds(bytes, gap->bytes, CompactPaths()[path])
              : ExpandEdgeIndex(bytes, gap->bytes, INT32_MAX,
                                CompactPaths()[path]);
      if (!expander.ok()) std::abort();
      while (!(*expander)->done()) {
        if (!(*expander)->Step().ok()) std::abort();
      }
    }
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) *
                          sink->edges());
}
BENCHMARK(ExpandEdges)->Arg(0)->Arg(1);

}  // namespace

void RunBatches(benchmark::State& state,
                std::shared_ptr<const SamplingPlan> plan, bool compact) {
  InlineExecutor executor;
  const auto sink = std::make_shared<RoomSink>(kRoom);
  uint64_t batch = 0;
  Inputs();
  const double start = CpuSeconds();
  for (auto _ : state) MakeBatch(plan, batch++, compact, executor, sink);
  const double seconds = CpuSeconds() - start;
  state.SetBytesProcessed(static_cast<int64_t>(sink->bytes()));
  state.counters["bytes_per_batch"] = static_cast<double>(sink->bytes()) /
                                      static_cast<double>(state.iterations());
  state.counters["seconds_per_batch"] =
      seconds / static_cast<double>(state.iterations());
  ReportEdges(state, sink->edges(), seconds);
}

}  // namespace tributary
