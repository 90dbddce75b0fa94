#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/inputs/rmat/rmat.h"
#include "partition/pipeline/partitioners/content_source.h"
#include "partition/pipeline/partitioners/method/balance_weights.h"
#include "partition/pipeline/partitioners/metis/balance_repair.h"
#include "partition/pipeline/partitioners/metis/metis_partitioner.h"
#include "partition/pipeline/partitioners/metis/undirected_graph.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/source/testing/memory_column.h"

namespace tributary {
namespace {

using Plan = std::vector<std::vector<uint16_t>>;

PartitionOptions Metis(uint32_t parts, const std::string& balance = "",
                       uint32_t permille = 0) {
  PartitionOptions options;
  options.method = "metis";
  options.num_partitions = parts;
  options.imbalance_permille = permille;
  if (!balance.empty()) options.balance = ParseBalance(balance).value();
  return options;
}

Plan PlanOf(const GraphSource& graph, const PartitionOptions& options) {
  const auto plan = PlanSource(graph, options, {});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? plan->partition_of : Plan();
}

std::vector<uint16_t> Joint(const Plan& plan) {
  std::vector<uint16_t> joint;
  for (const auto& type : plan) {
    joint.insert(joint.end(), type.begin(), type.end());
  }
  return joint;
}

// A ring of communities; most edges stay in their community.
GraphSource RingSource(int64_t n, size_t num_edges) {
  std::mt19937 random(7);
  EdgePairs pairs;
  for (size_t i = 0; i < num_edges; ++i) {
    const int64_t u = random() % n;
    // Squares of small numbers, so that nodes have unequal degrees.
    const int64_t step = 1 + random() % 8 * (random() % 8);
    pairs.emplace_back(u, (u / 3 * 3 + step) % n);
  }
  GraphSource graph = MakeSource(n, pairs);
  SplitSource train{"", "node", "train", {}, {}, {}, {}};
  for (int64_t v = 0; v < n / 3; ++v) train.nodes.push_back(v * v % n);
  graph.splits.push_back(train);
  return graph;
}

// Checks each balance by counting, apart from the code under test.
void ExpectBalanced(const GraphSource& graph, const BalanceOptions& balance,
                    const Plan& plan, uint32_t parts, double tolerance) {
  const auto expect = [&](const std::string& what,
                          const std::vector<double>& load) {
    double total = 0;
    for (const double of_part : load) total += of_part;
    EXPECT_LE(*std::max_element(load.begin(), load.end()),
              total / parts * tolerance + 1)
        << what;
  };
  std::vector<double> nodes(parts, 0), edges(parts, 0), train(parts, 0);
  for (size_t t = 0; t < plan.size(); ++t) {
    std::vector<double> of_type(parts, 0);
    for (const uint16_t p : plan[t]) {
      ++of_type[p];
      ++nodes[p];
    }
    if (balance.types) expect(graph.node_types[t].name, of_type);
  }
  for (const EdgeSource& type : graph.edge_types) {
    std::vector<int64_t> to(static_cast<size_t>(type.num_rows()));
    ASSERT_TRUE(
        type.to->Read(0, type.num_rows(), reinterpret_cast<uint8_t*>(to.data()))
            .ok());
    for (const int64_t v : to) ++edges[plan[type.dst_type][v]];
  }
  std::vector<bool> is_train(plan[0].size(), false);
  for (const SplitSource& split : graph.splits) {
    if (split.type != graph.node_types[0].name) continue;
    for (const int64_t v : split.nodes) is_train[v] = true;
  }
  for (size_t v = 0; v < is_train.size(); ++v) {
    if (is_train[v]) ++train[plan[0][v]];
  }
  if (balance.nodes) expect("nodes", nodes);
  if (balance.edges) expect("edges", edges);
  if (balance.train) expect("train", train);
}

TEST(Metis, KeepsEachAskedBalance) {
  const GraphSource graph = RingSource(6000, 30000);
  for (const char* balance : {"nodes", "edges", "train", "nodes,edges,train"}) {
    for (const uint32_t parts : {2u, 6u}) {
      for (const uint32_t permille : {0u, 1100u}) {
        SCOPED_TRACE(absl::StrCat(balance, " ", parts, " ", permille));
        const PartitionOptions options = Metis(parts, balance, permille);
        ExpectBalanced(graph, options.balance, PlanOf(graph, options), parts,
                       permille == 0 ? 1.03 : 1.1);
      }
    }
  }
}

TEST(Metis, BalancesTypes) {
  std::mt19937 random(8);
  GraphSource graph;
  graph.node_types = {{"a", 3000, nullptr, nullptr, nullptr},
                      {"b", 900, nullptr, nullptr, nullptr},
                      {"c", 0, nullptr, nullptr, nullptr}};
  EdgePairs aa, ab;
  for (int i = 0; i < 12000; ++i) {
    const int64_t u = random() % 3000;
    aa.emplace_back(u, (u + 1 + random() % 9) % 3000);
    // All of b beside the first third of a: without the balance they stay
    // together.
    ab.emplace_back(u / 3, u * 9 / 30);
  }
  graph.edge_types.push_back(MakeEdges(graph, 0, "to", 0, aa));
  graph.edge_types.push_back(MakeEdges(graph, 0, "to", 1, ab));
  const PartitionOptions options = Metis(4, "types");
  ExpectBalanced(graph, options.balance, PlanOf(graph, options), 4, 1.03);
}

// METIS itself leaves one of the types unbalanced here.
TEST(Metis, BalancesTheSevenTypesOfAifb) {
  const auto aifb = ReadInput({.folder = "tests/data/aifb"});
  ASSERT_TRUE(aifb.ok()) << aifb.status();
  const GraphSource graph = SourceOfContent(aifb->content);
  for (const uint32_t permille : {0u, 1100u}) {
    const PartitionOptions options = Metis(3, "types", permille);
    ExpectBalanced(graph, options.balance, PlanOf(graph, options), 3,
                   permille == 0 ? 1.03 : 1.1);
  }
}

// Two paths of four nodes. The node of the second path that is with the first
// leaves, since an edge less is cut then.
TEST(BalanceRepair, MovesWhatCostsLeast) {
  const GraphSource graph =
      MakeSource(8, {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {5, 6}, {6, 7}});
  const auto undirected = MakeUndirected(graph, JointNodes(graph));
  ASSERT_TRUE(undirected.ok());
  VertexWeights weights;
  weights.totals = {8};
  std::vector<idx_t> part = {0, 0, 0, 0, 0, 1, 1, 1};
  BalanceRepair repair(*undirected, weights, 2, 1001, absl::MakeSpan(part));
  EXPECT_EQ(repair.Excess(), 0);  // a capacity of 5
  BalanceRepair strict(*undirected, weights, 2, 1000, absl::MakeSpan(part));
  EXPECT_EQ(strict.Excess(), 251);
  strict.Run();
  EXPECT_EQ(strict.Excess(), 0);
  EXPECT_EQ(part, (std::vector<idx_t>{0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(Metis, BalanceOfNodesAloneChangesNothing) {
  const GraphSource graph = RingSource(2000, 9000);
  EXPECT_EQ(PlanOf(graph, Metis(5)), PlanOf(graph, Metis(5, "nodes")));
}

// The number of (node, other partition that has a neighbour of it).
int64_t Volume(const UndirectedGraph& graph,
               const std::vector<uint16_t>& partition_of) {
  int64_t volume = 0;
  for (size_t v = 0; v < partition_of.size(); ++v) {
    std::vector<uint16_t> others;
    for (idx_t i = graph.xadj[v]; i < graph.xadj[v + 1]; ++i) {
      const uint16_t p = partition_of[graph.adjncy[i]];
      if (p != partition_of[v]) others.push_back(p);
    }
    std::sort(others.begin(), others.end());
    volume += std::unique(others.begin(), others.end()) - others.begin();
  }
  return volume;
}

int64_t Cut(const UndirectedGraph& graph,
            const std::vector<uint16_t>& partition_of) {
  int64_t ends = 0;
  for (size_t v = 0; v < partition_of.size(); ++v) {
    for (idx_t i = graph.xadj[v]; i < graph.xadj[v + 1]; ++i) {
      ends += partition_of[graph.adjncy[i]] != partition_of[v] ? 1 : 0;
    }
  }
  return ends / 2;
}

GraphContent Rmat(int scale, int64_t edges) {
  RmatOptions options;
  options.scale = scale;
  options.edges = edges;
  auto content = GenerateRmat(options);
  EXPECT_TRUE(content.ok()) << content.status();
  return *std::move(content);
}

TEST(Metis, ObjectivesDiffer) {
  const GraphContent content = Rmat(12, 20000);
  const GraphSource graph = SourceOfContent(content);
  const auto undirected = MakeUndirected(graph, JointNodes(graph));
  ASSERT_TRUE(undirected.ok());
  PartitionOptions options = Metis(8);
  const auto cut = Joint(PlanOf(graph, options));
  options.minimize_volume = true;
  const auto volume = Joint(PlanOf(graph, options));
  EXPECT_LT(Volume(*undirected, volume), Volume(*undirected, cut));
}

TEST(Metis, RefusesWhatDoesNotFitIntoMemory) {
  const GraphSource graph = RingSource(2000, 9000);
  PartitionContext context;
  context.memory_bytes = MetisMemoryBytes(2000, 9000, 1, 4, false) - 1;
  const auto refused = PlanSource(graph, Metis(4), context);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(refused.status().message().find("allowed: more memory, or --method "
                                            "ldg"),
            std::string::npos)
      << refused.status();
  ++context.memory_bytes;
  EXPECT_TRUE(PlanSource(graph, Metis(4), context).ok());
}

TEST(Metis, SaysWhatCannotBeBalanced) {
  const GraphSource graph = MakeSource(9, {{3, 3}});
  EXPECT_EQ(PlanSource(graph, Metis(2, "train"), {}).status().message(),
            "--balance train: the graph has no training nodes\nallowed: graphs "
            "with a split of nodes that is named train");
  EXPECT_EQ(
      PlanSource(MakeSource(9, {}), Metis(2, "edges"), {}).status().message(),
      "--balance edges: the graph has no edges");
}

// Node 0 has 90 of 100 edges, 3.6 times the mean of 4 partitions, and all of
// the nodes that METIS may balance by are few enough.
TEST(Metis, NotesTheBalanceThatItCannotKeep) {
  EdgePairs pairs;
  for (int64_t v = 1; v <= 90; ++v) pairs.emplace_back(v, 0);
  for (int64_t v = 1; v <= 10; ++v) pairs.emplace_back(v, v + 1);
  const GraphSource graph = MakeSource(100, pairs);
  std::vector<std::string> notes;
  PartitionContext context;
  context.note = [&](std::string_view note) { notes.emplace_back(note); };
  ASSERT_TRUE(PlanSource(graph, Metis(4, "nodes,edges"), context).ok());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0],
            "the balance is not kept: in the best of METIS's 8 plans the "
            "heaviest partition has edges 3.600 times the mean; asked for: at "
            "most 1.030");
  notes.clear();
  ASSERT_TRUE(PlanSource(graph, Metis(4, "nodes"), context).ok());
  EXPECT_TRUE(notes.empty());
}

// Returns the cut that Debian's gpmetis finds of the same graph; -1 if it is
// not installed.
int64_t CutOfGpmetis(const UndirectedGraph& graph, int parts) {
  if (std::system("gpmetis -help > /dev/null 2>&1") != 0) return -1;
  const TemporaryFolder folder;
  const std::string path = folder.File("graph");
  const size_t n = graph.xadj.size() - 1;
  {
    std::ofstream out(path);
    out << n << ' ' << graph.adjncy.size() / 2 << '\n';
    for (size_t v = 0; v < n; ++v) {
      for (idx_t i = graph.xadj[v]; i < graph.xadj[v + 1]; ++i) {
        out << graph.adjncy[i] + 1 << ' ';
      }
      out << '\n';
    }
  }
  const std::string command =
      absl::StrCat("gpmetis -seed=1 ", path, " ", parts, " > /dev/null");
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::ifstream in(absl::StrCat(path, ".part.", parts));
  std::vector<uint16_t> partition_of;
  for (int p = 0; in >> p;) partition_of.push_back(static_cast<uint16_t>(p));
  EXPECT_EQ(partition_of.size(), n);
  return partition_of.size() == n ? Cut(graph, partition_of) : 0;
}

TEST(Metis, CutsAsFewEdgesAsGpmetis) {
  const auto cora = ReadInput({.folder = "tests/data/cora"});
  ASSERT_TRUE(cora.ok()) << cora.status();
  const GraphContent rmat = Rmat(13, 60000);
  for (const GraphContent* content : {&cora->content, &rmat}) {
    const GraphSource graph = SourceOfContent(*content);
    const auto undirected = MakeUndirected(graph, JointNodes(graph));
    ASSERT_TRUE(undirected.ok());
    for (const int parts : {2, 8}) {
      const int64_t theirs = CutOfGpmetis(*undirected, parts);
      if (theirs < 0) GTEST_SKIP() << "gpmetis is not installed";
      const int64_t ours = Cut(*undirected, Joint(PlanOf(graph, Metis(parts))));
      EXPECT_LE(static_cast<double>(ours), 1.03 * static_cast<double>(theirs))
          << content->name << " " << parts;
      std::printf("%s, %d parts: cut %lld, of gpmetis %lld\n",
                  content->name.c_str(), parts, static_cast<long long>(ours),
                  static_cast<long long>(theirs));
    }
  }
}

// LDG, which sees each edge once, is between METIS and random.
TEST(Metis, LdgCutsMoreThanMetisAndLessThanRandom) {
  const auto cora = ReadInput({.folder = "tests/data/cora"});
  ASSERT_TRUE(cora.ok()) << cora.status();
  const GraphSource graph = SourceOfContent(cora->content);
  const auto undirected = MakeUndirected(graph, JointNodes(graph));
  ASSERT_TRUE(undirected.ok());
  const auto cut_of = [&](const char* method) {
    PartitionOptions options;
    options.method = method;
    options.num_partitions = 4;
    return Cut(*undirected, Joint(PlanOf(graph, options)));
  };
  const int64_t random = cut_of("random"), ldg = cut_of("ldg"),
                metis = cut_of("metis");
  std::printf("Cora in 4: random %lld, ldg %lld, metis %lld\n",
              static_cast<long long>(random), static_cast<long long>(ldg),
              static_cast<long long>(metis));
  EXPECT_LT(ldg, random * 3 / 4);
  EXPECT_LT(metis, ldg);
}

}  // namespace
}  // namespace tributary
