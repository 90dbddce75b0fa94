#include "cli/mpi/mpi_partition.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "common/process/memory_limit.h"
#include "common/text/parse_number.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/mpi/assignment_writer.h"
#include "partition/pipeline/mpi/dgl_files.h"
#include "partition/pipeline/mpi/distributed_graph.h"
#include "partition/pipeline/mpi/figures.h"
#include "partition/pipeline/mpi/gather.h"
#include "partition/pipeline/mpi/rank_memory.h"
#include "partition/pipeline/mpi/read_dgl_nodes.h"
#include "partition/pipeline/mpi/scotch_partitioner.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"
#include "partition/source/temporary_spool.h"

namespace tributary {
namespace {

using Kind = MpiBalance::Kind;

// The graph as all inputs give it.
struct MpiGraph {
  NodeTypes types;
  DistributedGraph graph;
  std::vector<int64_t> weights;  // by row, or empty
};

const char* NameOf(Kind kind) {
  switch (kind) {
    case Kind::kNodes:
      return "nodes";
    case Kind::kEdges:
      return "edges";
    case Kind::kTrain:
      return "train";
    case Kind::kWeight:
      return "weight";
  }
  return "";
}

NodeTypes TypesOf(const GraphSource& source) {
  NodeTypes types;
  const JointNodes nodes(source);
  types.starts.assign(nodes.first.begin(), nodes.first.end());
  for (const NodeSource& type : source.node_types) {
    types.names.push_back(type.name);
  }
  return types;
}

// Weighs the training nodes of this rank 1, others 0.
absl::StatusOr<std::vector<int64_t>> TrainWeights(const Communicator& comm,
                                                  const GraphSource& source,
                                                  const NodeTypes& types) {
  const NodeShares shares(types.starts.back(), comm.size());
  std::vector<int64_t> weights(shares.Rows(comm.rank()), 0);
  bool found = false;
  for (const SplitSource& split : source.splits) {
    if (split.name != "train") continue;
    for (size_t type = 0; type < types.size(); ++type) {
      if (types.names[type] != split.type) continue;
      found = found || !split.nodes.empty();
      for (const int64_t id : split.nodes) {
        const int64_t node = types.starts[type] + id;
        if (shares.Rank(node) == comm.rank()) weights[shares.Row(node)] = 1;
      }
    }
  }
  if (found) return weights;
  return absl::InvalidArgumentError(
      "--balance train without training nodes; allowed: an input with a split "
      "named train, or --train FILE.npy");
}

// Returns what each process may use.
absl::StatusOr<uint64_t> MemoryOfRank(const Communicator& comm,
                                      const MpiPartitionOptions& options) {
  const auto on_machine = static_cast<uint64_t>(comm.SizeOnMachine());
  if (options.memory_bytes != 0) return options.memory_bytes;
  ASSIGN_OR_RETURN(const MemoryLimit limit, ReadMemoryLimit());
  return limit.total / 2 / on_machine;
}

// Compares what each process may need with what it may use.
absl::Status CheckMemory(const Communicator& comm,
                         const MpiPartitionOptions& options, int64_t nodes,
                         int64_t edges) {
  const auto allowed = MemoryOfRank(comm, options);
  RETURN_IF_ERROR(comm.Agree(allowed.status()));
  const RankMemory needed = EstimateRankMemory(nodes, edges, comm.size());
  const std::string graph = absl::StrCat(nodes, " nodes and ", edges, " edges");
  absl::Status status;
  if (needed.usual > *allowed) {
    status = absl::InvalidArgumentError(absl::StrCat(
        "--memory ", *allowed, ": each of ", comm.size(),
        " processes may need ", needed.usual, " bytes for ", graph,
        "\nallowed: more memory, more processes on more machines, or "
        "tributary partition --method ldg"));
  }
  RETURN_IF_ERROR(comm.Agree(status));
  if (comm.rank() == 0 && needed.with_hubs > *allowed) {
    std::fprintf(stderr,
                 "tributary-partition-mpi: note: if %s have hubs, each process "
                 "may need %lu bytes; --memory is %lu, and tributary partition "
                 "--method ldg needs none\n",
                 graph.c_str(), needed.with_hubs, *allowed);
  }
  return absl::OkStatus();
}

// Reads a source's edges; and its training nodes if `kind` says so.
absl::StatusOr<MpiGraph> ReadColumns(const Communicator& comm,
                                     const MpiPartitionOptions& options,
                                     const GraphSource& source, Kind kind) {
  MpiGraph result;
  result.types = TypesOf(source);
  RETURN_IF_ERROR(CheckMemory(comm, options, result.types.starts.back(),
                              static_cast<int64_t>(NumRowsRead(source))));
  SourceEdgeReader reader(source, comm.rank(), comm.size());
  ASSIGN_OR_RETURN(result.graph, BuildDistributedGraph(
                                     comm, result.types.starts.back(), reader));
  if (kind == Kind::kTrain) {
    ASSIGN_OR_RETURN(result.weights, TrainWeights(comm, source, result.types));
  }
  return result;
}

absl::StatusOr<MpiGraph> ReadNpy(const Communicator& comm,
                                 const MpiPartitionOptions& options,
                                 Kind kind) {
  const auto source = OpenNpyGraph(options.npy);
  RETURN_IF_ERROR(comm.Agree(source.status()));
  return ReadColumns(comm, options, *source, kind);
}

// Each rank parses text into a folder of its own; binary files are read where
// they are.
absl::StatusOr<MpiGraph> ReadInputFormat(const Communicator& comm,
                                         const MpiPartitionOptions& options,
                                         Kind kind) {
  const auto temporary = TemporarySpool::Make();
  RETURN_IF_ERROR(comm.Agree(temporary.status()));
  const auto source = ReadSource(options.input, temporary->spool());
  RETURN_IF_ERROR(comm.Agree(source.status()));
  return ReadColumns(comm, options, *source, kind);
}

// Returns which weight of the node files counts; none: each node is 1.
absl::StatusOr<std::optional<int>> WeightOfDgl(
    const DglFiles& files, const std::optional<MpiBalance>& balance) {
  const std::string stats = files.prefix + "_stats.txt";
  if (!balance.has_value()) {
    if (files.num_weights == 0) return std::nullopt;
    if (files.num_weights == 1) return 0;
    return absl::InvalidArgumentError(absl::StrCat(
        stats, " has ", files.num_weights,
        " weights of each node; PT-Scotch balances one\nallowed: --balance "
        "nodes, edges, or weight:0 to weight:",
        files.num_weights - 1,
        "; all of them: tributary partition --method metis --balance"));
  }
  if (balance->kind == Kind::kTrain) {
    return absl::InvalidArgumentError(
        "--balance train is of --edges; allowed with --dgl-files: nodes, "
        "edges, weight:I");
  }
  if (balance->kind != Kind::kWeight) return std::nullopt;
  if (balance->weight < files.num_weights) return balance->weight;
  return absl::InvalidArgumentError(
      absl::StrCat("--balance weight:", balance->weight, ": ", stats, " has ",
                   files.num_weights, " weights, from weight:0 on"));
}

absl::StatusOr<MpiGraph> ReadDgl(const Communicator& comm,
                                 const MpiPartitionOptions& options) {
  const auto files = FindDglFiles(options.dgl_prefix, options.dgl_node_list,
                                  options.dgl_edge_list);
  RETURN_IF_ERROR(comm.Agree(files.status()));
  ASSIGN_OR_RETURN(const std::optional<int> weight,
                   WeightOfDgl(*files, options.balance));
  RETURN_IF_ERROR(
      CheckMemory(comm, options, files->num_nodes, files->num_edges));
  MpiGraph result;
  ASSIGN_OR_RETURN(DglNodes nodes, ReadDglNodes(comm, *files, weight));
  result.types = std::move(nodes.types);
  result.weights = std::move(nodes.weights);
  auto reader = DglEdgeReader::Open(*files, comm.rank(), comm.size());
  RETURN_IF_ERROR(comm.Agree(reader.status()));
  ASSIGN_OR_RETURN(result.graph,
                   BuildDistributedGraph(comm, files->num_nodes, *reader));
  const int64_t edges = comm.Sum(reader->num_edges());
  if (edges == files->num_edges) return result;
  return absl::InvalidArgumentError(
      absl::StrCat("the edge files have ", edges, " lines; ", files->prefix,
                   "_stats.txt says ", files->num_edges));
}

absl::StatusOr<MpiGraph> ReadAny(const Communicator& comm,
                                 const MpiPartitionOptions& options,
                                 Kind kind) {
  if (!options.dgl_prefix.empty()) return ReadDgl(comm, options);
  if (kind == Kind::kWeight) {
    return absl::InvalidArgumentError(
        "--balance weight:I is of --dgl-files; allowed: nodes, edges, train");
  }
  return options.reads_input() ? ReadInputFormat(comm, options, kind)
                               : ReadNpy(comm, options, kind);
}

absl::StatusOr<MpiGraph> ReadGraph(const Communicator& comm,
                                   const MpiPartitionOptions& options,
                                   Kind kind) {
  ASSIGN_OR_RETURN(MpiGraph read, ReadAny(comm, options, kind));
  if (kind != Kind::kEdges) return read;
  const std::vector<int64_t>& ends = read.graph.row_ends;
  read.weights.resize(ends.size() - 1);
  for (size_t row = 0; row < read.weights.size(); ++row) {
    read.weights[row] = ends[row + 1] - ends[row];
  }
  return read;
}

std::string DglPartPath(const MpiPartitionOptions& options) {
  return absl::StrCat(options.dgl_prefix, "_part.", options.num_partitions);
}

absl::Status CheckTargets(const MpiPartitionOptions& options) {
  if (!options.out.empty()) RETURN_IF_ERROR(CheckTargetIsFree(options.out));
  if (options.dgl_prefix.empty()) return absl::OkStatus();
  return CheckTargetIsFree(DglPartPath(options));
}

// The files to write; only rank 0 has any.
using Writers = std::vector<std::unique_ptr<AssignmentWriter>>;

absl::StatusOr<Writers> OpenWriters(const Communicator& comm,
                                    const MpiPartitionOptions& options,
                                    const NodeTypes& types) {
  Writers writers;
  if (comm.rank() != 0) return writers;
  if (!options.out.empty()) {
    ASSIGN_OR_RETURN(auto writer, MakeAssignmentWriter(options.out, types));
    writers.push_back(std::move(writer));
  }
  if (!options.dgl_prefix.empty()) {
    ASSIGN_OR_RETURN(auto writer, MakeDglPartWriter(DglPartPath(options)));
    writers.push_back(std::move(writer));
  }
  return writers;
}

absl::Status WriteAll(const Communicator& comm, const NodeShares& shares,
                      absl::Span<const uint16_t> parts, Writers& writers) {
  RETURN_IF_ERROR(
      GatherInOrder(comm, shares, parts, [&](absl::Span<const uint16_t> next) {
        for (auto& writer : writers) RETURN_IF_ERROR(writer->Append(next));
        return absl::OkStatus();
      }));
  absl::Status finished;
  for (auto& writer : writers) {
    if (finished.ok()) finished = writer->Finish();
  }
  return comm.Agree(finished);
}

// Notes on stderr that a partition is heavier than was asked for, by more than
// what is rounded.
void NoteImbalance(const std::vector<int64_t>& sums, double imbalance,
                   const char* name) {
  const auto total = static_cast<double>(
      std::accumulate(sums.begin(), sums.end(), int64_t{0}));
  const auto largest =
      static_cast<double>(*std::max_element(sums.begin(), sums.end()));
  const double mean = total / static_cast<double>(sums.size());
  if (largest <= std::ceil(imbalance * mean)) return;
  std::fprintf(stderr,
               "tributary-partition-mpi: note: the largest partition has %.4f "
               "of the mean of %s; --imbalance asks for %.4f, and PT-Scotch "
               "found no better\n",
               Balance(sums), name, imbalance);
}

void Print(const MpiPartitionOptions& options, Kind kind, const MpiGraph& read,
           const AssignmentFigures& figures) {
  const bool weighs = kind == Kind::kTrain || kind == Kind::kWeight;
  const double share = figures.edges == 0
                           ? 0
                           : static_cast<double>(figures.cut) /
                                 static_cast<double>(figures.edges);
  const std::string out =
      !options.out.empty() ? options.out : DglPartPath(options);
  const std::string weight_balance =
      weighs ? absl::StrFormat(" balance_%s=%.4f", NameOf(kind),
                               Balance(figures.weights))
             : "";
  std::printf(
      "wrote %s nodes=%ld edges=%ld partitions=%u cut=%ld cut_share=%.4f "
      "balance_nodes=%.4f balance_edges=%.4f%s\n",
      out.c_str(), read.types.starts.back(), figures.edges,
      options.num_partitions, figures.cut, share, Balance(figures.nodes),
      Balance(figures.ends), weight_balance.c_str());
  const std::vector<int64_t>& sums = kind == Kind::kNodes   ? figures.nodes
                                     : kind == Kind::kEdges ? figures.ends
                                                            : figures.weights;
  NoteImbalance(sums, options.imbalance, NameOf(kind));
}

}  // namespace

absl::StatusOr<MpiBalance> ParseMpiBalance(const std::string& text) {
  for (const Kind kind : {Kind::kNodes, Kind::kEdges, Kind::kTrain}) {
    if (text == NameOf(kind)) return MpiBalance{kind, 0};
  }
  absl::string_view number = text;
  if (absl::ConsumePrefix(&number, "weight:")) {
    const auto weight = ParseNumber<uint16_t>(number);
    if (weight.has_value()) return MpiBalance{Kind::kWeight, *weight};
  }
  if (absl::StrContains(text, ',')) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--balance ", text,
        ": PT-Scotch balances one sum; allowed: one of "
        "nodes, edges, train, weight:I\nseveral: tributary partition "
        "--method metis --balance ",
        text));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--balance ", text, "; allowed: nodes, edges, train, weight:I"));
}

absl::Status RunMpiPartition(const Communicator& comm,
                             const MpiPartitionOptions& options) {
  Kind kind = options.balance.value_or(MpiBalance()).kind;
  RETURN_IF_ERROR(
      comm.Agree(comm.rank() == 0 ? CheckTargets(options) : absl::OkStatus()));
  ASSIGN_OR_RETURN(MpiGraph read, ReadGraph(comm, options, kind));
  if (!options.balance.has_value() && !read.weights.empty()) {
    kind = Kind::kWeight;
  }
  auto writers = OpenWriters(comm, options, read.types);
  RETURN_IF_ERROR(comm.Agree(writers.status()));
  ASSIGN_OR_RETURN(
      const std::vector<uint16_t> parts,
      PartitionWithScotch(comm, read.graph, read.weights,
                          {.strategy = options.strategy,
                           .num_partitions = options.num_partitions,
                           .imbalance = options.imbalance - 1,
                           .random_seed = options.random_seed}));
  const AssignmentFigures figures = CountFigures(
      comm, read.graph, parts, read.weights, options.num_partitions);
  RETURN_IF_ERROR(WriteAll(comm, read.graph.shares, parts, *writers));
  if (comm.rank() == 0) Print(options, kind, read, figures);
  return absl::OkStatus();
}

}  // namespace tributary
