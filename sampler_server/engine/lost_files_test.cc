// Files that are cut while batches are made of them: an error, and neither a
// wrong batch nor the end of the process. Batches of hubs that are cancelled.
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include "common/io/mapping_guard.h"
#include "common/runtime/thread_pool.h"
#include "common/session/edge_condition.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kNodes = 20'000;

GraphSpec ColumnsOfAllKinds() {
  GraphSpec spec;
  spec.num_nodes = kNodes;
  spec.num_partitions = 2;
  spec.degrees = true;
  spec.edge_index = true;
  spec.neighbor_ids = true;
  spec.x_dim = 4;
  std::mt19937_64 random(7);
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int i = 0; i < 8; ++i) {
      spec.edges.push_back({static_cast<int64_t>(random() % kNodes), v});
    }
    spec.x.insert(spec.x.end(), 4, static_cast<float>(v));
    spec.y.push_back(v);
    spec.node_time.push_back(v % 100);
  }
  for (size_t i = 0; i < spec.edges.size(); ++i) {
    spec.weight.push_back(1 + static_cast<double>(i % 7));
    spec.edge_time.push_back(static_cast<int64_t>(i % 100));
    spec.edge_attr.push_back(static_cast<float>(i % 50));
    spec.masks["train"].push_back(i % 2 == 0 ? 1 : 0);
  }
  return spec;
}

struct Kind {
  const char* name;
  void (*change)(SpecOptions&);
};

const Kind kKinds[] = {
    {"uniform", [](SpecOptions& o) { o.collect_degrees = true; }},
    {"all",
     [](SpecOptions& o) {
       o.num_neighbors = {-1, -1};
     }},
    {"weighted", [](SpecOptions& o) { o.draws.draw = DrawMode::kWeighted; }},
    {"all of weight",
     [](SpecOptions& o) {
       o.draws.draw = DrawMode::kWeighted;
       o.num_neighbors = {-1, 4};
     }},
    {"labor", [](SpecOptions& o) { o.draws.draw = DrawMode::kLabor; }},
    {"in time",
     [](SpecOptions& o) {
       o.draws.time = TimeMode::kEdge;
       o.draws.input_time = InputTimeMode::kOwn;
     }},
    {"mask", [](SpecOptions& o) { o.draws.edge_mask = "train"; }},
    {"induced",
     [](SpecOptions& o) { o.subgraph.type = SubgraphType::kInduced; }},
};

BatchCase CaseOf(const Kind& kind) {
  BatchCase batch;
  for (int64_t i = 0; i < 2000; ++i) batch.inputs.push_back(i * 10);
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {4, 4};
  batch.options.batch_size = 2000;
  kind.change(batch.options);
  return batch;
}

std::vector<std::string> ArraysOf(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".npy") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Makes batches of one kind until the file has been cut and once more. Returns
// whether a batch failed.
bool MakeBatches(const std::shared_ptr<const Graph>& graph, const Kind& kind,
                 const std::string& right, const std::string& file,
                 const std::atomic<bool>& cut) {
  bool failed = false;
  for (int after = 0; after < 2; after += cut ? 1 : 0) {
    const auto sink = OneBatchWorld(graph).Run(CaseOf(kind));
    EXPECT_EQ(sink->ends, 1);
    if (sink->failed.ok()) {
      EXPECT_EQ(DigestOf(*sink), right) << kind.name << ", " << file;
      continue;
    }
    failed = true;
    EXPECT_EQ(sink->failed.code(), absl::StatusCode::kAborted) << sink->failed;
    EXPECT_THAT(std::string(sink->failed.message()), HasSubstr(file));
  }
  return failed;
}

TEST(LostFilesTest, AreAnErrorAndNeverAWrongBatch) {
  InstallMappingGuard();
  const TemporaryFolder folder;
  WriteGraphTo(ColumnsOfAllKinds(), folder.File("whole"));
  const auto whole = Graph::Open(folder.File("whole")).value();
  std::vector<std::string> right;
  for (const Kind& kind : kKinds) {
    const auto sink = OneBatchWorld(whole).Run(CaseOf(kind));
    ASSERT_TRUE(sink->failed.ok()) << kind.name << ": " << sink->failed;
    right.push_back(DigestOf(*sink));
  }
  std::mt19937_64 random(11);
  int failed = 0;
  const size_t prefix = folder.File("whole").size();
  for (const std::string& original : ArraysOf(folder.File("whole"))) {
    const std::string copy = folder.File("copy");
    std::filesystem::copy(folder.File("whole"), copy,
                          std::filesystem::copy_options::recursive);
    const std::string file = copy + original.substr(prefix);
    const auto graph = Graph::Open(copy).value();
    std::atomic<bool> cut{false};
    std::atomic<int> failures{0};
    const size_t first = random() % std::size(kKinds);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 2; ++i) {
      const size_t k = (first + i * 3) % std::size(kKinds);
      threads.emplace_back([&, k] {
        failures += MakeBatches(graph, kKinds[k], right[k], file, cut) ? 1 : 0;
      });
    }
    // In the middle of a batch.
    const auto wait = std::chrono::microseconds(random() % 20'000);
    const auto until = std::chrono::steady_clock::now() + wait;
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    std::filesystem::resize_file(file, 0);
    cut = true;
    for (std::thread& thread : threads) thread.join();
    failed += failures > 0 ? 1 : 0;
    // Any byte of the file, once read, shows the damage.
    EXPECT_TRUE(whole->damage().ok());
    std::filesystem::remove_all(copy);
  }
  EXPECT_GT(failed, 10) << "arrays that a batch reads";
}

// A sink that says when the task has let go of it.
class WaitedSink final : public BatchSink {
 public:
  WaitedSink(std::mutex& mutex, std::condition_variable& gone, bool& is_gone)
      : mutex_(mutex), gone_(gone), is_gone_(is_gone) {}
  ~WaitedSink() override {
    std::lock_guard lock(mutex_);
    is_gone_ = true;
    gone_.notify_all();
  }
  absl::Span<uint8_t> AllocateRoom(size_t) override { return {}; }
  void Ready(size_t, LeftOut) override {}
  void Needs(size_t) override {}
  void Failed(absl::Status) override {}
  void StageChanged(BatchStage) override {}

 private:
  std::mutex& mutex_;
  std::condition_variable& gone_;
  bool& is_gone_;
};

// Some seconds of work in one kernel; a server ends within one when it is
// cancelled, and its threads with it.
TEST(HubBatchTest, ACancelEndsItsKernel) {
  constexpr int64_t kEdges = 300'000;
  GraphSpec spec;
  spec.num_nodes = kEdges;
  for (int64_t i = 0; i < kEdges; ++i) {
    spec.edges.push_back({i, 0});
    spec.edge_attr.push_back(0);
  }
  const auto graph = BuildGraph(spec);
  BatchCase batch;
  batch.inputs.assign(16384, 0);
  batch.options.shuffle = ShuffleMode::kNone;
  batch.options.num_neighbors = {2};
  batch.options.batch_size = 16384;
  batch.options.draws.disjoint = true;
  batch.options.draws.edge_predicates =
      ParseEdgePredicates("edge_attr[0] > 1").value();
  BatchRequest request = RequestOf(graph->schema(), batch);
  std::mutex mutex;
  std::condition_variable gone;
  bool is_gone = false;
  auto pool = std::make_unique<ThreadPool>("test", 1);
  request.deadline = pool->Now() + absl::Seconds(600);
  const CancelToken cancel = request.cancel;
  StartBatchTask({graph.get(), nullptr, pool.get()}, std::move(request),
                 std::make_shared<WaitedSink>(mutex, gone, is_gone));
  const absl::Time started = pool->Now();
  while (pool->BusyTime() < absl::Milliseconds(200)) {
    ASSERT_LT(pool->Now(), started + absl::Seconds(60));
    std::this_thread::yield();
  }
  const absl::Duration before = pool->BusyTime();
  cancel.Cancel();
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(
        gone.wait_for(lock, std::chrono::seconds(60), [&] { return is_gone; }));
  }
  pool->End();
  EXPECT_LT(pool->BusyTime() - before, absl::Seconds(1));
}

}  // namespace
}  // namespace tributary
