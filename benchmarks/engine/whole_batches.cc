#include "benchmarks/engine/whole_batches.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <utility>

#include "benchmarks/engine/bench_inputs.h"
#include "common/batch/batch_view.h"
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
  void Ready(size_t bytes, LeftOut) override {
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

std::shared_ptr<const SamplingPlan> MakeHopPlan() {
  const GraphSchema& schema = BenchGraph().schema();
  SpecGraph graph{schema.name, {}, {}, {"node"}, {"node,to,node"}};
  SpecOptions options;
  options.input_count = UINT64_MAX >> 1;
  options.num_neighbors = {15, 10, 5};
  options.batch_size = kInputs;
  auto spec = BuildNeighborSpec(graph, options);
  if (!spec.ok()) std::abort();
  auto plan = MakePlan(schema, *spec);
  if (!plan.ok()) std::abort();
  return std::make_shared<SamplingPlan>(*std::move(plan));
}

void WholeBatches(benchmark::State& state) { RunBatches(state, MakeHopPlan()); }
BENCHMARK(WholeBatches)->MinTime(2);

}  // namespace

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
    StartBatchTask({&BenchGraph(), nullptr, &executor}, std::move(request),
                   sink);
    executor.Drain();
  }
  const double seconds = CpuSeconds() - start;
  state.SetBytesProcessed(static_cast<int64_t>(sink->bytes()));
  state.counters["seconds_per_batch"] =
      seconds / static_cast<double>(state.iterations());
  ReportEdges(state, sink->edges(), seconds);
}

}  // namespace tributary
