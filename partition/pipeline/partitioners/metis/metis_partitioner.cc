#include "partition/pipeline/partitioners/metis/metis_partitioner.h"

#include <metis.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/status.h"
#include "partition/pipeline/partitioners/method/balance_weights.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"
#include "partition/pipeline/partitioners/metis/balance_repair.h"
#include "partition/pipeline/partitioners/metis/undirected_graph.h"

namespace tributary {
namespace {

constexpr idx_t kFirstSeed = 1;
constexpr int kMaxTries = 8;
constexpr uint32_t kDefaultImbalance = 1030;

absl::StatusOr<VertexWeights> MakeWeights(const GraphSource& graph,
                                          const JointNodes& nodes,
                                          const BalanceOptions& balance) {
  VertexWeights result;
  BalanceOptions only_nodes;
  only_nodes.nodes = true;
  if (balance.none() || balance == only_nodes) {
    result.totals = {nodes.size()};
    result.names = {"nodes"};
    return result;
  }
  ASSIGN_OR_RETURN(const BalanceWeights weights,
                   BalanceWeights::Make(graph, nodes, balance));
  constexpr auto kMax =
      static_cast<uint64_t>(std::numeric_limits<idx_t>::max());
  for (const BalanceConstraint& constraint : weights.constraints()) {
    if (constraint.total > kMax) {
      return absl::InvalidArgumentError(absl::StrCat(
          "METIS balances at most ", kMax, " ", constraint.name,
          "; the graph has ", constraint.total, "; use --method ldg"));
    }
    result.totals.push_back(constraint.total);
    result.names.push_back(constraint.name);
  }
  result.num_constraints = weights.constraints().size();
  result.values.reserve(nodes.size() * result.num_constraints);
  for (size_t t = 0; t + 1 < nodes.first.size(); ++t) {
    for (uint64_t v = nodes.first[t]; v < nodes.first[t + 1]; ++v) {
      for (const BalanceConstraint& constraint : weights.constraints()) {
        result.values.push_back(static_cast<idx_t>(
            weights.Weight(constraint, static_cast<int>(t), v)));
      }
    }
  }
  return result;
}

// One call of METIS.
class MetisCall {
 public:
  MetisCall(UndirectedGraph graph, VertexWeights weights,
            const PartitionOptions& options)
      : graph_(std::move(graph)),
        weights_(std::move(weights)),
        options_(options),
        part_(graph_.xadj.size() - 1) {}

  // Sets part() with a seed.
  absl::Status Run(idx_t seed) {
    auto num_nodes = static_cast<idx_t>(part_.size());
    auto num_parts = static_cast<idx_t>(options_.num_partitions);
    auto num_constraints = static_cast<idx_t>(weights_.num_constraints);
    idx_t objective = 0;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = seed;
    options[METIS_OPTION_NUMBERING] = 0;
    if (options_.minimize_volume) {
      options[METIS_OPTION_OBJTYPE] = METIS_OBJTYPE_VOL;
    }
    std::vector<real_t> tolerances(
        weights_.num_constraints,
        static_cast<real_t>(options_.imbalance_permille) / 1000);
    const int result = METIS_PartGraphKway(
        &num_nodes, &num_constraints, graph_.xadj.data(), graph_.adjncy.data(),
        weights_.values.empty() ? nullptr : weights_.values.data(), nullptr,
        nullptr, &num_parts, nullptr,
        options_.imbalance_permille == 0 ? nullptr : tolerances.data(), options,
        &objective, part_.data());
    if (result == METIS_OK) return absl::OkStatus();
    if (result == METIS_ERROR_MEMORY) {
      return absl::ResourceExhaustedError(
          "METIS ran out of memory; use --method ldg");
    }
    return absl::InternalError(absl::StrCat("METIS failed with ", result));
  }

  // Moves nodes out of partitions that are too heavy; returns what remains, as
  // BalanceRepair::Excess.
  uint64_t Repair() {
    BalanceRepair repair(graph_, weights_, options_.num_partitions, permille(),
                         absl::MakeSpan(part_));
    repair.Run();
    excess_text_ = repair.ExcessText();
    return repair.Excess();
  }
  // Returns BalanceRepair::ExcessText of the last Repair.
  const std::string& excess_text() const { return excess_text_; }
  uint32_t permille() const {
    return options_.imbalance_permille != 0 ? options_.imbalance_permille
                                            : kDefaultImbalance;
  }

  std::vector<idx_t>& part() { return part_; }

 private:
  UndirectedGraph graph_;
  VertexWeights weights_;
  const PartitionOptions& options_;
  std::vector<idx_t> part_;
  std::string excess_text_;
};

// Without balance and tolerance the first seed's plan is taken as it is. A note
// says what could not be kept.
absl::StatusOr<std::vector<idx_t>> RunMetis(UndirectedGraph graph,
                                            VertexWeights weights,
                                            const PartitionOptions& options,
                                            const PartitionContext& context) {
  MetisCall call(std::move(graph), std::move(weights), options);
  const bool asked = !options.balance.none() || options.imbalance_permille != 0;
  std::vector<idx_t> best;
  std::string over;
  uint64_t least = std::numeric_limits<uint64_t>::max();
  for (int i = 0; i < kMaxTries; ++i) {
    context.Report("runs METIS", static_cast<uint64_t>(i), kMaxTries);
    RETURN_IF_ERROR(call.Run(kFirstSeed + i));
    const uint64_t excess = asked ? call.Repair() : 0;
    if (excess == 0) return std::move(call.part());
    if (excess >= least) continue;
    least = excess;
    best = call.part();
    over = call.excess_text();
  }
  context.Note(absl::StrFormat(
      "the balance is not kept: in the best of METIS's %d plans the heaviest "
      "partition has %s times the mean; asked for: at most %.3f",
      kMaxTries, over, call.permille() / 1000.0));
  return best;
}

absl::Status CheckMemory(const GraphSource& graph, const JointNodes& nodes,
                         const PartitionOptions& options,
                         const PartitionContext& context) {
  const BalanceOptions& balance = options.balance;
  const uint64_t constraints =
      uint64_t{balance.nodes} + uint64_t{balance.edges} +
      uint64_t{balance.train} + (balance.types ? graph.node_types.size() : 0);
  const uint64_t rows = NumRowsRead(graph);
  const uint64_t needed =
      BalanceWeights::Bytes(nodes, balance) +
      MetisMemoryBytes(nodes.size(), rows, std::max<uint64_t>(1, constraints),
                       options.num_partitions, options.minimize_volume);
  if (needed <= context.memory_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--memory ", context.memory_bytes, ": --method metis may need ", needed,
      " bytes for ", nodes.size(), " nodes and ", rows,
      " edges\nallowed: more memory, or --method ldg"));
}

absl::StatusOr<std::vector<uint16_t>> PlaceAll(
    const GraphSource& graph, const JointNodes& nodes,
    const PartitionOptions& options, const PartitionContext& context) {
  std::vector<uint16_t> placed(nodes.size(), 0);
  if (options.num_partitions == 1) return placed;
  if (nodes.size() <= options.num_partitions) {
    for (size_t i = 0; i < placed.size(); ++i) {
      placed[i] = static_cast<uint16_t>(i);
    }
    return placed;
  }
  RETURN_IF_ERROR(CheckMemory(graph, nodes, options, context));
  ASSIGN_OR_RETURN(VertexWeights weights,
                   MakeWeights(graph, nodes, options.balance));
  ASSIGN_OR_RETURN(UndirectedGraph undirected, MakeUndirected(graph, nodes));
  ASSIGN_OR_RETURN(
      const std::vector<idx_t> part,
      RunMetis(std::move(undirected), std::move(weights), options, context));
  std::transform(part.begin(), part.end(), placed.begin(),
                 [](idx_t p) { return static_cast<uint16_t>(p); });
  return placed;
}

}  // namespace

uint64_t MetisMemoryBytes(uint64_t num_nodes, uint64_t rows,
                          uint64_t num_constraints, uint32_t parts,
                          bool minimize_volume) {
  // Graphs of few communities keep most of their edges in each of the levels
  // that METIS holds at the same time.
  return num_nodes * (176 + 24 * num_constraints) +
         rows * (minimize_volume ? 160 : 140) + uint64_t{parts} * 1024;
}

absl::StatusOr<std::vector<std::vector<uint16_t>>> MetisPartitioner::Partition(
    const GraphSource& graph, const PartitionOptions& options,
    const PartitionContext& context) const {
  const JointNodes nodes(graph);
  ASSIGN_OR_RETURN(std::vector<uint16_t> placed,
                   PlaceAll(graph, nodes, options, context));
  return SplitByType(nodes, std::move(placed));
}

}  // namespace tributary
