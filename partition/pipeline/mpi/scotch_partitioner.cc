#include "partition/pipeline/mpi/scotch_partitioner.h"

// stdio.h first: scotch.h uses FILE.
#include <cstdarg>
#include <cstdio>
#include <string>

#include <scotch-int64/ptscotch.h>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace {

// What PT-Scotch has said last on this rank. One partitioning runs at a time.
std::string& LastMessage() {
  static auto* message = new std::string;
  return *message;
}

void Remember(const char* format, va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof(text), format, arguments);
  LastMessage() = text;
}

}  // namespace

// These replace the functions of libptscotcherr, which print on stderr.
extern "C" {

void SCOTCH_errorProg(const char* const) {}

void SCOTCH_errorPrint(const char* const format, ...) {
  va_list arguments;
  va_start(arguments, format);
  Remember(format, arguments);
  va_end(arguments);
}

void SCOTCH_errorPrintW(const char* const, ...) {}
}

namespace tributary {
namespace {

absl::Status Failed(const char* call) {
  return absl::InternalError(absl::StrCat(
      "PT-Scotch: ", call,
      " failed: ", LastMessage().empty() ? "no reason given" : LastMessage()));
}

// PT-Scotch's objects, which their destructors free.
class Dgraph {
 public:
  static absl::Status Init(Dgraph& graph, MPI_Comm comm) {
    if (SCOTCH_dgraphInit(&graph.graph_, comm) != 0) return Failed("Init");
    graph.made_ = true;
    return absl::OkStatus();
  }
  Dgraph() = default;
  ~Dgraph() {
    if (made_) SCOTCH_dgraphExit(&graph_);
  }
  Dgraph(const Dgraph&) = delete;
  SCOTCH_Dgraph* get() { return &graph_; }

 private:
  SCOTCH_Dgraph graph_;
  bool made_ = false;
};

// How PT-Scotch computes: on one thread, as ranks are what there are several
// of, and the same in each run.
class Context {
 public:
  Context() {
    SCOTCH_contextInit(&context_);
    SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    SCOTCH_contextThreadSpawn(&context_, 1, nullptr);
  }
  ~Context() { SCOTCH_contextExit(&context_); }
  Context(const Context&) = delete;

  void SetSeed(int64_t seed) {
    SCOTCH_contextRandomSeed(&context_, seed);
    SCOTCH_contextRandomReset(&context_);
  }
  // Makes `bound` a view of `graph` that uses this context.
  absl::Status Bind(Dgraph& graph, Dgraph& bound) {
    if (SCOTCH_contextBindDgraph(&context_, graph.get(), bound.get()) != 0) {
      return Failed("contextBindDgraph");
    }
    return absl::OkStatus();
  }

 private:
  SCOTCH_Context context_;
};

class Strategy {
 public:
  Strategy() { SCOTCH_stratInit(&strategy_); }
  ~Strategy() { SCOTCH_stratExit(&strategy_); }
  Strategy(const Strategy&) = delete;
  SCOTCH_Strat* get() { return &strategy_; }

 private:
  SCOTCH_Strat strategy_;
};

// Returns a strategy in PT-Scotch's language that coarsens in parallel (m),
// cuts the coarsest graph, which each rank gathers (q), and while it goes back
// only keeps the balance (x). What is cut on one rank grows a part (h) and
// improves it by Fiduccia and Mattheyses' passes (f). Coarsening goes on while
// a level has less than 0.85 of the nodes of the one before: by PT-Scotch's 0.8
// graphs of hubs stop while they are large, and the rest takes more than linear
// time.
std::string SpeedStrategy(double imbalance) {
  const std::string refine =
      absl::StrCat("f{bal=", imbalance, ",move=40,pass=2}");
  const std::string cut = absl::StrCat("m{vert=80,rat=0.85,low=h{pass=1}",
                                       refine, ",asc=", refine, "}");
  return absl::StrCat("r{bal=", imbalance,
                      ",sep=m{vert=10000,rat=0.85,asc=x{bal=", imbalance,
                      "},low=q{strat=", cut, "},seq=q{strat=", cut,
                      "}},seq=r{bal=", imbalance, ",poli=S,sep=", cut, "}}");
}

absl::Status SetStrategy(const Communicator& comm, const ScotchOptions& options,
                         Strategy& strategy) {
  if (options.strategy == ScotchStrategy::kSpeed) {
    const std::string text = SpeedStrategy(options.imbalance);
    if (SCOTCH_stratDgraphMap(strategy.get(), text.c_str()) == 0) {
      return absl::OkStatus();
    }
    return Failed("stratDgraphMap");
  }
  if (SCOTCH_stratDgraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT,
                                 comm.size(), options.num_partitions,
                                 options.imbalance) == 0) {
    return absl::OkStatus();
  }
  return Failed("stratDgraphMapBuild");
}

absl::Status Build(Dgraph& target, DistributedGraph& graph,
                   std::vector<int64_t>& weights) {
  const auto rows = static_cast<SCOTCH_Num>(graph.row_ends.size() - 1);
  const auto ends = static_cast<SCOTCH_Num>(graph.neighbors.size());
  // A rank without rows or edges has arrays, too: null has other meanings.
  static SCOTCH_Num none = 0;
  SCOTCH_Num* neighbors = ends == 0 ? &none : graph.neighbors.data();
  SCOTCH_Num* loads = weights.empty() ? nullptr : weights.data();
  if (SCOTCH_dgraphBuild(target.get(), /*baseval=*/0, rows, rows,
                         graph.row_ends.data(), graph.row_ends.data() + 1,
                         loads, /*vlbl=*/nullptr, ends, ends, neighbors,
                         /*edgegst=*/nullptr, /*edlo=*/nullptr) != 0) {
    return Failed("dgraphBuild");
  }
  return absl::OkStatus();
}

absl::Status Run(const Communicator& comm, DistributedGraph& graph,
                 std::vector<int64_t>& weights, const ScotchOptions& options,
                 std::vector<SCOTCH_Num>& parts) {
  Context context;
  context.SetSeed(options.random_seed);
  Dgraph built_graph;
  RETURN_IF_ERROR(comm.Agree(Dgraph::Init(built_graph, comm.comm())));
  RETURN_IF_ERROR(comm.Agree(Build(built_graph, graph, weights)));
  Dgraph target;
  RETURN_IF_ERROR(comm.Agree(Dgraph::Init(target, comm.comm())));
  RETURN_IF_ERROR(comm.Agree(context.Bind(built_graph, target)));
  Strategy strategy;
  RETURN_IF_ERROR(comm.Agree(SetStrategy(comm, options, strategy)));
  absl::Status done;
  if (SCOTCH_dgraphPart(target.get(), options.num_partitions, strategy.get(),
                        parts.data()) != 0) {
    done = Failed("dgraphPart");
  }
  return comm.Agree(done);
}

}  // namespace

absl::StatusOr<std::vector<uint16_t>> PartitionWithScotch(
    const Communicator& comm, DistributedGraph& graph,
    std::vector<int64_t>& weights, const ScotchOptions& options) {
  const size_t rows = graph.row_ends.size() - 1;
  std::vector<uint16_t> result(rows);
  if (graph.shares.num_nodes() <= options.num_partitions) {
    for (size_t row = 0; row < rows; ++row) {
      result[row] =
          static_cast<uint16_t>(row * comm.size() + comm.rank());  // the node
    }
    return result;
  }
  std::vector<SCOTCH_Num> parts(rows + 1);  // never empty
  RETURN_IF_ERROR(Run(comm, graph, weights, options, parts));
  absl::Status valid;
  for (size_t row = 0; row < rows; ++row) {
    if (parts[row] < 0 || parts[row] >= options.num_partitions) {
      valid = absl::InternalError(
          absl::StrCat("PT-Scotch placed a node in partition ", parts[row],
                       " of ", options.num_partitions));
      break;
    }
    result[row] = static_cast<uint16_t>(parts[row]);
  }
  RETURN_IF_ERROR(comm.Agree(valid));
  return result;
}

}  // namespace tributary
