// No (key, counter) of Philox is read twice in a run. Finished batches show for
// which nodes each hop drew. Their draws are repeated by definition, recording
// every block read, and must give exactly the edges of the batch: so the
// recorded blocks are those that the engine read.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {
namespace {

// Records every block read in a run.
class Ledger {
 public:
  void Note(PhiloxKey key, uint32_t block, uint32_t number) {
    const bool fresh = seen_.emplace(key.k0, key.k1, block, number).second;
    if (!fresh) ++repeats_;
  }
  // Returns the words of a node; records each block when its first word is
  // read.
  Words Noting(PhiloxKey key, uint32_t number) {
    auto read = std::make_shared<std::set<uint32_t>>();
    const Words words = DefinedWords(key, number);
    return [=, this](uint32_t j) {
      if (read->insert(j / 4).second) Note(key, j / 4, number);
      return words(j);
    };
  }
  size_t size() const { return seen_.size(); }
  int64_t repeats() const { return repeats_; }

 private:
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>> seen_;
  int64_t repeats_ = 0;
};

struct RunOptions {
  ExpandMode expand = ExpandMode::kNew;
  bool replace = false;
  // How the replay makes keys; anything but the definition is a planted fault.
  std::function<void(DefinedKeyParts&)> change_key;
};

constexpr int64_t kNodes = 60, kEdges = 1500, kEpochs = 6, kInputs = 40;
constexpr uint64_t kBatchSize = 8, kSeed = 77;

std::vector<int32_t> Fanouts() { return {5, 3, 9}; }

// Two node types; two edge types lead to the inputs.
MemoryGraphSpec TypedGraph() {
  std::mt19937_64 random(5);
  MemoryGraphSpec spec;
  spec.heterogeneous = true;
  spec.num_partitions = 3;
  spec.node_types = {{.name = "a", .num_nodes = kNodes},
                     {.name = "b", .num_nodes = kNodes}};
  for (const auto& [src, dst] :
       {std::pair{"a", "a"}, {"a", "b"}, {"b", "a"}, {"b", "b"}}) {
    auto& type = spec.edge_types.emplace_back();
    type.src = src;
    type.dst = dst;
    for (int64_t e = 0; e < kEdges; ++e) {
      type.edges.emplace_back(random() % kNodes, random() % kNodes);
    }
  }
  return spec;
}

// Replays batches of one run against the graph.
class Replay {
 public:
  Replay(const MemoryGraphSpec& spec, const RunOptions& options)
      : spec_(spec), options_(options) {
    for (size_t t = 0; t < spec.edge_types.size(); ++t) {
      const auto& edges = spec.edge_types[t].edges;
      for (size_t e = 0; e < edges.size(); ++e) {
        in_edges_[{t, edges[e].second}].emplace_back(edges[e].first, e);
      }
    }
    for (auto& [node, list] : in_edges_) std::sort(list.begin(), list.end());
  }

  const Ledger& ledger() const { return ledger_; }

  void Order(uint64_t epoch) {
    const Words words = ledger_.Noting(
        Key({.random_seed = kSeed, .epoch = epoch, .purpose = 1, .name = ""}),
        0);
    for (uint32_t i = 0; i + 1 < kInputs; ++i) words(i);
  }

  void Batch(const RecordingSink& sink, uint64_t epoch, uint64_t index) {
    for (size_t t = 0; t < spec_.edge_types.size(); ++t) {
      const auto& type = spec_.edge_types[t];
      const auto per_hop = Ints(sink, "num_sampled_nodes/" + type.dst);
      const auto n_id = Ints(sink, "n_id/" + type.dst);
      std::vector<int64_t> edge_ids;
      int64_t begin = 0, end = 0;
      for (uint32_t hop = 0; hop < Fanouts().size(); ++hop) {
        begin = options_.expand == ExpandMode::kAll ? 0 : end;
        end += per_hop[hop];
        const PhiloxKey key = Key({.random_seed = kSeed,
                                   .epoch = epoch,
                                   .batch = index,
                                   .hop = hop,
                                   .name = type.name()});
        for (int64_t v = begin; v < end; ++v) {
          Node(t, n_id[v], ledger_.Noting(key, static_cast<uint32_t>(v)),
               Fanouts()[hop], &edge_ids);
        }
      }
      if (options_.change_key) continue;
      ASSERT_EQ(Ints(sink, "e_id/" + type.src + "__to__" + type.dst), edge_ids);
    }
  }

 private:
  PhiloxKey Key(DefinedKeyParts parts) const {
    if (options_.change_key) options_.change_key(parts);
    return DefinedKey(parts);
  }

  void Node(size_t type, int64_t id, const Words& words, int32_t fanout,
            std::vector<int64_t>* edge_ids) {
    const auto& list = in_edges_[{type, id}];
    for (uint64_t p :
         DefinedDraw(words, list.size(), fanout, options_.replace)) {
      edge_ids->push_back(list[p].second);
    }
  }

  const MemoryGraphSpec& spec_;
  const RunOptions options_;
  std::map<std::pair<size_t, int64_t>, std::vector<std::pair<int64_t, int64_t>>>
      in_edges_;
  Ledger ledger_;
};

// All batches of all epochs.
Ledger WholeRun(const RunOptions& options) {
  const MemoryGraphSpec spec = TypedGraph();
  const auto graph = MemoryGraph::Make(spec);
  Replay replay(spec, options);
  BatchCase batch;
  batch.options.input_type = "a";
  batch.options.num_neighbors.by_default = Fanouts();
  batch.options.batch_size = kBatchSize;
  batch.options.random_seed = kSeed;
  batch.options.expand = options.expand;
  batch.options.replace = options.replace;
  for (int64_t v = 0; v < kInputs; ++v) batch.inputs.push_back(v);
  for (batch.epoch = 0; batch.epoch < kEpochs; ++batch.epoch) {
    replay.Order(batch.epoch);
    for (batch.index = 0; batch.index * kBatchSize < kInputs; ++batch.index) {
      const auto sink = OneBatchWorld(graph->Only({1}), graph).Run(batch);
      EXPECT_TRUE(sink->ready.has_value()) << sink->failed;
      replay.Batch(*sink, batch.epoch, batch.index);
      if (testing::Test::HasFatalFailure()) return replay.ledger();
    }
  }
  return replay.ledger();
}

TEST(Counters, NoneIsReadTwice) {
  for (const ExpandMode expand : {ExpandMode::kNew, ExpandMode::kAll}) {
    for (const bool replace : {false, true}) {
      const Ledger ledger = WholeRun({expand, replace, nullptr});
      EXPECT_EQ(ledger.repeats(), 0);
      EXPECT_GT(ledger.size(), 10'000u);
    }
  }
}

// A key without one of its parts gives counters that are read twice.
TEST(Counters, FindsWhatAKeyLacks) {
  const std::function<void(DefinedKeyParts&)> faults[] = {
      [](DefinedKeyParts& parts) { parts.epoch = 0; },
      [](DefinedKeyParts& parts) { parts.batch = 0; },
      [](DefinedKeyParts& parts) { parts.hop = 0; },
      [](DefinedKeyParts& parts) { parts.name.clear(); },
  };
  for (const auto& fault : faults) {
    EXPECT_GT(WholeRun({ExpandMode::kAll, false, fault}).repeats(), 100);
  }
}

}  // namespace
}  // namespace tributary
