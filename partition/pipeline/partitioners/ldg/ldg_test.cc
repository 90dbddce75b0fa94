#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/runtime/fault_point.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/partitioners/ldg/edge_buckets.h"
#include "partition/pipeline/partitioners/ldg/run_loader.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/source/testing/memory_column.h"

namespace tributary {
namespace {

using Plan = std::vector<std::vector<uint16_t>>;

PartitionOptions Ldg(uint32_t parts, const std::string& balance = "",
                     uint32_t permille = 0) {
  PartitionOptions options;
  options.method = "ldg";
  options.num_partitions = parts;
  options.imbalance_permille = permille;
  if (!balance.empty()) options.balance = ParseBalance(balance).value();
  return options;
}

Plan PlanOf(const GraphSource& graph, const PartitionOptions& options,
            const PartitionContext& context = {}) {
  const auto plan = PlanSource(graph, options, context);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? plan->partition_of : Plan();
}

EdgePairs RandomPairs(std::mt19937& random, int64_t num_from, int64_t num_to,
                      size_t count) {
  EdgePairs pairs;
  for (size_t i = 0; i < count; ++i) {
    pairs.emplace_back(random() % num_from, random() % num_to);
  }
  return pairs;
}

std::vector<int64_t> Values(const Column& column) {
  std::vector<int64_t> values(static_cast<size_t>(column.num_rows()));
  EXPECT_TRUE(
      column
          .Read(0, column.num_rows(), reinterpret_cast<uint8_t*>(values.data()))
          .ok());
  return values;
}

// The definition of docs/graph-format.md, read literally: every partition is
// looked at for every node.
class BruteForce {
 public:
  BruteForce(const GraphSource& graph, const PartitionOptions& options)
      : graph_(graph), parts_(options.num_partitions) {
    for (const NodeSource& type : graph.node_types) {
      first_.push_back(static_cast<int64_t>(type_of_.size()));
      type_of_.insert(type_of_.end(), static_cast<size_t>(type.num_nodes),
                      first_.size() - 1);
    }
    const size_t n = type_of_.size();
    Weights ones(n, 1), degrees(n, 0), train(n, 0);
    neighbors_.resize(n);
    for (const EdgeSource& edges : graph.edge_types) AddEdges(edges, degrees);
    for (const SplitSource& split : graph.splits) MarkTrain(split, train);
    const BalanceOptions& balance = options.balance;
    constraints_.push_back(ones);
    const bool typed = balance.types;
    if (balance.nodes || balance.none()) constraints_.push_back(ones);
    if (balance.edges) constraints_.push_back(degrees);
    if (balance.train) constraints_.push_back(train);
    for (size_t t = 0; typed && t < graph.node_types.size(); ++t) {
      Weights of_type(n, 0);
      for (size_t v = 0; v < n; ++v) of_type[v] = type_of_[v] == t;
      constraints_.push_back(of_type);
    }
    const int64_t permille =
        options.imbalance_permille != 0 ? options.imbalance_permille : 1050;
    for (const Weights& weights : constraints_) {
      int64_t total = 0;
      for (const int64_t weight : weights) total += weight;
      const int64_t divisor = 1000 * parts_;
      capacity_.push_back((total * permille + divisor - 1) / divisor);
      load_.emplace_back(parts_, 0);
    }
  }

  Plan Run() {
    Plan plan;
    for (const NodeSource& type : graph_.node_types) {
      plan.emplace_back(static_cast<size_t>(type.num_nodes));
    }
    std::vector<int64_t> placed(type_of_.size(), -1);
    for (size_t v = 0; v < placed.size(); ++v) {
      placed[v] = Choose(v, placed);
      for (size_t k = 0; k < constraints_.size(); ++k) {
        load_[k][placed[v]] += constraints_[k][v];
      }
      plan[type_of_[v]][v - first_[type_of_[v]]] =
          static_cast<uint16_t>(placed[v]);
    }
    return plan;
  }

 private:
  using Weights = std::vector<int64_t>;

  void AddEdges(const EdgeSource& edges, Weights& degrees) {
    const std::vector<int64_t> from = Values(*edges.from);
    const std::vector<int64_t> to = Values(*edges.to);
    for (size_t i = 0; i < from.size(); ++i) {
      const int64_t u = first_[edges.src_type] + from[i];
      const int64_t v = first_[edges.dst_type] + to[i];
      ++degrees[v];
      if (edges.add_reverse) ++degrees[u];
      if (edges.reverse || u == v) continue;
      neighbors_[u].push_back(v);
      neighbors_[v].push_back(u);
    }
  }
  void MarkTrain(const SplitSource& split, Weights& train) const {
    for (size_t t = 0; t < graph_.node_types.size(); ++t) {
      if (split.name != "train" || split.type != graph_.node_types[t].name) {
        continue;
      }
      for (const int64_t id : split.nodes) train[first_[t] + id] = 1;
    }
  }
  int64_t Choose(size_t v, const std::vector<int64_t>& placed) const {
    std::vector<size_t> terms;
    for (size_t k = 1; k < constraints_.size(); ++k) {
      if (constraints_[k][v] > 0) terms.push_back(k);
    }
    if (terms.empty()) terms.push_back(0);
    int64_t best = -1;
    __int128 best_score = -1;
    int64_t best_room = -1;
    for (int64_t p = 0; p < parts_; ++p) {
      bool fits = true;
      int64_t room = int64_t{1} << 62;
      for (const size_t k : terms) {
        fits &= load_[k][p] + constraints_[k][v] <= capacity_[k];
        room =
            std::min(room, ((capacity_[k] - load_[k][p]) << 32) / capacity_[k]);
      }
      if (!fits) continue;
      const auto count =
          std::count_if(neighbors_[v].begin(), neighbors_[v].end(),
                        [&](int64_t u) { return placed[u] == p; });
      const __int128 score = static_cast<__int128>(count) * room;
      if (score < best_score || (score == best_score && room <= best_room)) {
        continue;
      }
      best = p;
      best_score = score;
      best_room = room;
    }
    return best >= 0 ? best : LeastFull(v, terms);
  }
  int64_t LeastFull(size_t v, const std::vector<size_t>& terms) const {
    int64_t best = 0;
    int64_t best_fill = INT64_MAX;
    for (int64_t p = 0; p < parts_; ++p) {
      int64_t fill = 0;
      for (const size_t k : terms) {
        fill = std::max(
            fill, ((load_[k][p] + constraints_[k][v]) << 32) / capacity_[k]);
      }
      if (fill >= best_fill) continue;
      best = p;
      best_fill = fill;
    }
    return best;
  }

  const GraphSource& graph_;
  const int64_t parts_;
  std::vector<int64_t> first_;
  std::vector<size_t> type_of_;
  std::vector<std::vector<int64_t>> neighbors_;
  std::vector<Weights> constraints_;  // the first is of all nodes
  std::vector<int64_t> capacity_;
  std::vector<std::vector<int64_t>> load_;
};

GraphSource RandomSource(std::mt19937& random) {
  const int64_t n = 40 + random() % 300;
  GraphSource graph = MakeSource(n, RandomPairs(random, n, n, random() % 1500));
  graph.edge_types[0].add_reverse = random() % 2 == 0;
  SplitSource train{"", "node", "train", {}, {}, {}, {}};
  for (int64_t v = 0; v < n; v += 1 + random() % 5) train.nodes.push_back(v);
  graph.splits.push_back(train);
  return graph;
}

// Three node types, one of them empty, and a reverse type.
GraphSource TypedSource(std::mt19937& random) {
  GraphSource graph;
  graph.heterogeneous = true;
  const int64_t a = 100 + random() % 100, c = 50 + random() % 100;
  graph.node_types = {{"a", a, nullptr, nullptr, nullptr},
                      {"b", 0, nullptr, nullptr, nullptr},
                      {"c", c, nullptr, nullptr, nullptr}};
  const EdgePairs ac = RandomPairs(random, a, c, 400);
  EdgePairs ca;
  for (const auto& [u, v] : ac) ca.emplace_back(v, u);
  graph.edge_types.push_back(
      MakeEdges(graph, 0, "to", 0, RandomPairs(random, a, a, 300)));
  graph.edge_types.push_back(MakeEdges(graph, 0, "to", 2, ac));
  graph.edge_types.push_back(MakeEdges(graph, 2, "rev_to", 0, ca));
  graph.edge_types.back().reverse = true;
  graph.splits.push_back({"", "c", "train", {0, 3, 4, 9}, {}, {}, {}});
  return graph;
}

TEST(Ldg, IsThatOfTheDocument) {
  const GraphSource graph = MakeSource(
      12, {{0, 4},  {4, 1},  {1, 5},  {5, 5}, {2, 6}, {6, 3},  {7, 2},
           {7, 3},  {8, 0},  {8, 4},  {9, 1}, {9, 5}, {10, 6}, {10, 7},
           {11, 8}, {11, 0}, {11, 2}, {3, 2}, {9, 8}, {10, 9}});
  EXPECT_EQ(PlanOf(graph, Ldg(3))[0],
            (std::vector<uint16_t>{0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 1, 0}));
  EXPECT_EQ(PlanOf(graph, Ldg(3, "", 1500))[0],
            (std::vector<uint16_t>{0, 1, 2, 2, 0, 1, 2, 2, 0, 1, 2, 0}));
}

TEST(Ldg, EqualsBruteForce) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    const GraphSource graph = RandomSource(random);
    for (const char* balance :
         {"", "nodes", "edges", "train", "types", "nodes,edges,train"}) {
      if (std::string(balance).find("edges") != std::string::npos &&
          graph.edge_types[0].num_rows() == 0) {
        continue;
      }
      for (const uint32_t parts : {1u, 2u, 5u, 16u, 70u}) {
        const uint32_t permille = random() % 2 == 0 ? 0 : 1001 + random() % 900;
        SCOPED_TRACE(absl::StrCat(round, balance, " ", parts, " ", permille));
        const PartitionOptions options = Ldg(parts, balance, permille);
        EXPECT_EQ(PlanOf(graph, options), BruteForce(graph, options).Run());
      }
    }
  }
}

TEST(Ldg, EqualsBruteForceOnTypes) {
  std::mt19937 random(4);
  for (int round = 0; round < 8; ++round) {
    const GraphSource graph = TypedSource(random);
    for (const char* balance :
         {"", "types", "types,train", "types,edges", "nodes,types"}) {
      for (const uint32_t parts : {2u, 7u}) {
        SCOPED_TRACE(absl::StrCat(round, balance, " ", parts));
        const PartitionOptions options = Ldg(parts, balance);
        EXPECT_EQ(PlanOf(graph, options), BruteForce(graph, options).Run());
      }
    }
  }
}

TEST(Ldg, TakesDegenerateGraphs) {
  EXPECT_TRUE(PlanOf(MakeSource(0, {}), Ldg(4))[0].empty());
  EXPECT_EQ(PlanOf(MakeSource(3, {}), Ldg(5))[0],
            (std::vector<uint16_t>{0, 1, 2}));
  EXPECT_EQ(PlanOf(MakeSource(3, {{1, 1}}), Ldg(1))[0],
            (std::vector<uint16_t>{0, 0, 0}));
}

// The last node is a hub whose neighbours exceed a run in little memory.
GraphSource HubSource() {
  std::mt19937 random(5);
  const int64_t n = 300000;
  EdgePairs pairs = RandomPairs(random, n, n, 300000);
  for (int64_t v = 0; v < n; ++v) pairs.emplace_back(n - 1, v);
  return MakeSource(n, pairs);
}

TEST(Ldg, IsTheSameInAnyMemoryAndByAnyThreads) {
  const GraphSource graph = HubSource();
  const Plan plan = PlanOf(graph, Ldg(6));
  EXPECT_EQ(plan, BruteForce(graph, Ldg(6)).Run());
  for (const int threads : {1, 2, 5}) {
    PartitionContext context;
    context.threads = threads;
    context.memory_bytes = 1;
    const auto refused = PlanSource(graph, Ldg(6), context);
    ASSERT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
    const std::string message(refused.status().message());
    const std::string words = "--method ldg needs ";
    const size_t at = message.find(words);
    ASSERT_NE(at, std::string::npos) << message;
    context.memory_bytes =
        std::strtoull(message.c_str() + at + words.size(), nullptr, 10);
    EXPECT_EQ(PlanOf(graph, Ldg(6), context), plan) << threads;
  }
}

TEST(Ldg, NamesARowWhoseEndIsNoNode) {
  GraphSource graph = MakeSource(5, {{0, 1}, {2, 3}, {4, 5}, {-1, 0}});
  const auto to = PlanSource(graph, Ldg(2), {});
  EXPECT_EQ(to.status().code(), absl::StatusCode::kOutOfRange);
  // Ends `from` are read before ends `to`.
  EXPECT_EQ(to.status().message(),
            "from, row 3: node -1 of the type node; allowed: 0 to 4");
  graph = MakeSource(5, {{0, 1}, {2, 3}, {4, 5}});
  EXPECT_EQ(PlanSource(graph, Ldg(2), {}).status().message(),
            "to, row 2: node 5 of the type node; allowed: 0 to 4");
}

// With any memory for a run, the runs hold the same neighbours of all nodes, or
// say that they do not.
TEST(RunLoader, CutsBucketsIntoRunsThatFit) {
  const GraphSource graph = MakeSource(
      6, {{1, 0}, {5, 0}, {5, 1}, {5, 2}, {3, 5}, {4, 5}, {3, 1}, {1, 3}});
  const JointNodes nodes(graph);
  const TemporaryFolder work;
  const auto buckets = EdgeBuckets::Make(graph, nodes, {}, work.path(), 0);
  ASSERT_TRUE(buckets.ok()) << buckets.status();
  const std::vector<std::vector<uint32_t>> expected = {
      {}, {0}, {}, {1, 1}, {}, {0, 1, 2, 3, 4}};
  for (const uint64_t bytes : {1, 8, 20, 28, 40, 1000}) {
    RunLoader<uint32_t> loader(*buckets, bytes);
    NodeRun<uint32_t> run;
    uint64_t node = 0;
    int runs = 0;
    for (;; ++runs) {
      const auto more = loader.Next(run);
      ASSERT_TRUE(more.ok()) << more.status();
      if (!*more) break;
      ASSERT_EQ(run.first, node);
      if (run.oversized) {
        EXPECT_EQ(run.num_nodes, 1);
        EXPECT_GT(expected[node++].size() * 4 + 8, bytes);
        continue;
      }
      EXPECT_LE(run.num_nodes * 8 + run.neighbors.size() * 4, bytes);
      uint64_t begin = 0;
      for (uint64_t i = 0; i < run.num_nodes; ++i, ++node) {
        std::vector<uint32_t> found(run.neighbors.begin() + begin,
                                    run.neighbors.begin() + run.ends[i]);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected[node]);
        begin = run.ends[i];
      }
    }
    EXPECT_EQ(node, 6);
    EXPECT_EQ(runs == 1, bytes == 1000) << bytes;
  }
}

// A column that must not be read.
class UnreadableColumn final : public Column {
 public:
  explicit UnreadableColumn(int64_t rows) : Column({DType::kInt64, 0}, rows) {}
  absl::Status Read(int64_t, int64_t, uint8_t*) const override {
    return absl::InternalError("was read");
  }
  std::string Where(int64_t) const override { return "unreadable"; }
};

void MakeUnreadable(EdgeSource& edges) {
  edges.from = edges.to = std::make_shared<UnreadableColumn>(edges.num_rows());
}

TEST(Ldg, GoesOnWithFinishedBucketsAndPlans) {
  GraphSource graph = HubSource();
  const TemporaryFolder work;
  PartitionContext context;
  context.work_folder = work.path();
  const Plan plan = PlanOf(graph, Ldg(4));
  for (const char* point :
       {"partition.ldg.distributed", "partition.ldg.run-placed"}) {
    ScopedFault fault(point, [] { return absl::AbortedError("killed"); });
    EXPECT_EQ(PlanSource(graph, Ldg(4), context).status().message(), "killed");
    MakeUnreadable(graph.edge_types[0]);  // for the second time
  }
  EXPECT_TRUE(std::filesystem::exists(work.File("ldg-buckets.txt")));
  {
    ScopedFault fault("partition.plan-saved",
                      [] { return absl::AbortedError("killed"); });
    EXPECT_FALSE(PlanSource(graph, Ldg(4), context).ok());
  }
  EdgeBuckets::RemoveFrom(work.path());
  EXPECT_EQ(PlanOf(graph, Ldg(4), context), plan);
  EXPECT_FALSE(std::filesystem::exists(work.File("ldg-bucket-0")));
  // Other options need another plan, which needs the edges.
  EXPECT_EQ(PlanSource(graph, Ldg(5), context).status().message(), "was read");
}

TEST(Ldg, WritesDamagedFilesAgain) {
  const GraphSource graph = HubSource();
  const TemporaryFolder work;
  PartitionContext context;
  context.work_folder = work.path();
  {
    ScopedFault fault("partition.ldg.distributed",
                      [] { return absl::AbortedError("killed"); });
    EXPECT_FALSE(PlanSource(graph, Ldg(4), context).ok());
  }
  std::filesystem::resize_file(work.File("ldg-bucket-0"), 800);
  const Plan plan = PlanOf(graph, Ldg(4));
  EXPECT_EQ(PlanOf(graph, Ldg(4), context), plan);
  std::filesystem::resize_file(work.File("plan-0.npy"), 800);
  EXPECT_EQ(PlanOf(graph, Ldg(4), context), plan);
}

int64_t Cut(const GraphSource& graph, const Plan& plan) {
  const std::vector<int64_t> from = Values(*graph.edge_types[0].from);
  const std::vector<int64_t> to = Values(*graph.edge_types[0].to);
  int64_t cut = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    cut += plan[0][from[i]] != plan[0][to[i]] ? 1 : 0;
  }
  return cut;
}

// Eight communities; an edge leaves its community with probability 0.1. A
// random plan of eight parts cuts 7/8 of the edges.
TEST(Ldg, FindsCommunities) {
  std::mt19937 random(6);
  EdgePairs pairs;
  const int64_t n = 8000;
  for (int i = 0; i < 80000; ++i) {
    const int64_t u = random() % n;
    const int64_t other = random() % n;
    pairs.emplace_back(u, random() % 10 == 0 ? other : other / 8 * 8 + u % 8);
  }
  const GraphSource graph = MakeSource(n, pairs);
  const Plan plan = PlanOf(graph, Ldg(8));
  PartitionOptions random_options;
  random_options.num_partitions = 8;
  EXPECT_LT(Cut(graph, plan), Cut(graph, PlanOf(graph, random_options)) / 2);
  std::vector<int64_t> sizes(8, 0);
  for (const uint16_t p : plan[0]) ++sizes[p];
  EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), 1050);
}

}  // namespace
}  // namespace tributary
