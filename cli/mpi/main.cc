// The `tributary-partition-mpi` program: places the nodes of a graph with
// PT-Scotch, in processes that mpirun starts.
#include <mpi.h>

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/graph/input_options.h"
#include "cli/mpi/mpi_partition.h"
#include "common/process/signal_watcher.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "common/text/version.h"
#include "partition/schema/schema_check.h"

namespace tributary {
namespace {

constexpr char kName[] = "tributary-partition-mpi";

constexpr uint64_t kLeastMemory = uint64_t{128} << 20;

constexpr char kFooter[] =
    R"(Start it with mpirun; every process reads its share of the same files, which
all machines must have (a shared file system). Open MPI's --hostfile names the
machines. Afterwards `tributary partition --assignment OUT` makes the graph.

Prints the cut of the undirected graph without loops and parallel edges, and
the largest partition over the mean, both counted from the result.

Memory of a process: with E edges and N nodes in P processes, up to 64 MiB + (80 N
+ 288 E) / P bytes, which --memory is compared with before edges are read. Graphs
of hubs coarsen badly and take more memory and time: docs/partitioning.md has
figures, and what --strategy changes.

Exit codes: 0 done, 1 failed, 2 the command line is wrong, 128 + N ended by
signal N; nothing half-written remains.
Examples:
  mpirun -np 4 tributary-partition-mpi --input papers --format ogb \
      --num-parts 8 --out papers.npy
  mpirun -np 4 tributary-partition-mpi --edges edge_index.npy \
      --num-nodes 2449029 --num-parts 8 --out products.npy
  mpirun -np 4 --hostfile hosts tributary-partition-mpi \
      --edges author,writes,paper=writes.npy --edges paper,cites,paper=cites.npy \
      --num-nodes author=1134649,paper=736389 --num-parts 4 --out mag.parts
  With the files of DGL's pm_dglpart; writes mag_part.8, too:
  mpirun -np 4 tributary-partition-mpi --dgl-files mag --num-parts 8 \
      --balance nodes --out mag.parts)";

// Flags as they are typed.
struct Flags {
  MpiPartitionOptions options;
  std::string num_parts, balance, imbalance = "1.05", random_seed = "0";
  std::string strategy = "quality", memory;
};

void Declare(CLI::App& app, Flags& flags) {
  MpiPartitionOptions& options = flags.options;
  app.set_version_flag("--version", absl::StrCat(kName, " ", kVersion));
  app.add_option("--input", options.input.folder,
                 "Folder or file of the graph, as `tributary partition` takes "
                 "it, with the flags from --format on; each process parses "
                 "text by itself, so binary formats are faster");
  app.add_option("--edges", options.npy.edges,
                 "FILE.npy, or SRC,REL,DST=FILE.npy for each edge type: whole "
                 "numbers, [2, edges] or [edges, 2]; with --num-nodes N or "
                 "TYPE=N,TYPE=N");
  app.add_option("--train", options.npy.train,
                 "FILE.npy or TYPE=FILE.npy: ids of training nodes, for "
                 "--balance train");
  app.add_option("--dgl-files", options.dgl_prefix,
                 "PREFIX of pm_dglpart's files: PREFIX_stats.txt, "
                 "PREFIX_nodes.txt, PREFIX_edges.txt, and PREFIX.json for the "
                 "names of node types. Writes PREFIX_part.K");
  app.add_option("--dgl-nfiles", options.dgl_node_list,
                 "parmetis_nfiles.txt instead of PREFIX_nodes.txt");
  app.add_option("--dgl-efiles", options.dgl_edge_list,
                 "parmetis_efiles.txt instead of PREFIX_edges.txt");
  app.add_option("--num-parts", flags.num_parts, "Number of partitions")
      ->required();
  app.add_option("--balance", flags.balance,
                 "What partitions have equal shares of: nodes (the default), "
                 "edges, train, or weight:I, a column of PREFIX_nodes.txt");
  app.add_option("--imbalance", flags.imbalance,
                 "The largest share over the mean that PT-Scotch tries to keep")
      ->capture_default_str();
  app.add_option("--strategy", flags.strategy,
                 "quality: PT-Scotch's own, whose processes each refine the "
                 "whole of a graph of hubs; speed: little refinement, a "
                 "fraction of the time and more cut edges")
      ->capture_default_str();
  app.add_option("--memory", flags.memory,
                 "Memory that each process may use, such as 4GiB; default: "
                 "half of its machine's, in equal shares");
  app.add_option("--random-seed", flags.random_seed, "Seed of PT-Scotch")
      ->capture_default_str();
  app.add_option("--out", options.out,
                 "FILE.npy for one node type, else a folder of TYPE.npy; must "
                 "not exist");
  AddInputFlags(app, options.input);
  app.footer(kFooter);
}

absl::Status CheckInput(const MpiPartitionOptions& options) {
  const bool dgl = !options.dgl_prefix.empty();
  const bool npy = !options.npy.edges.empty();
  if (dgl + npy + options.reads_input() != 1) {
    return UsageError("allowed: one of --input, --edges, --dgl-files");
  }
  if (npy && options.npy.num_nodes.empty()) {
    return UsageError("--edges without --num-nodes\nallowed: --num-nodes N");
  }
  if (!dgl && options.out.empty()) return UsageError("--out is required");
  if (!npy && !(options.npy.num_nodes.empty() && options.npy.train.empty())) {
    return UsageError("--num-nodes and --train are of --edges");
  }
  if (!dgl &&
      !(options.dgl_node_list.empty() && options.dgl_edge_list.empty())) {
    return UsageError("--dgl-nfiles and --dgl-efiles are of --dgl-files");
  }
  return absl::OkStatus();
}

absl::Status ReadBounds(const Flags& flags, MpiPartitionOptions& options) {
  if (flags.strategy == "speed") {
    options.strategy = ScotchStrategy::kSpeed;
  } else if (flags.strategy != "quality") {
    return UsageError(absl::StrCat("--strategy \"", flags.strategy,
                                   "\"\nallowed: quality, speed"));
  }
  if (flags.memory.empty()) return absl::OkStatus();
  const auto bytes = ParseByteSize(flags.memory);
  if (!bytes.ok() || *bytes < kLeastMemory) {
    return UsageError(absl::StrCat("--memory \"", flags.memory,
                                   "\"\nallowed: a size from 128MiB, such as "
                                   "4GiB"));
  }
  options.memory_bytes = *bytes;
  return absl::OkStatus();
}

absl::StatusOr<MpiPartitionOptions> ReadFlags(const Flags& flags) {
  MpiPartitionOptions options = flags.options;
  // One flag serves both --edges and the formats of --input.
  if (!options.reads_input()) {
    options.npy.num_nodes = options.input.layout.num_nodes.value_or("");
  }
  RETURN_IF_ERROR(CheckInput(options));
  RETURN_IF_ERROR(ReadBounds(flags, options));
  ASSIGN_OR_RETURN(
      const uint64_t parts,
      ParseWhole("--num-parts", flags.num_parts, 1, kMaxPartitions));
  options.num_partitions = static_cast<uint32_t>(parts);
  ASSIGN_OR_RETURN(options.imbalance,
                   ParseReal("--imbalance", flags.imbalance, 1.001, 100));
  ASSIGN_OR_RETURN(
      const uint64_t seed,
      ParseWhole("--random-seed", flags.random_seed, 0, INT64_MAX));
  options.random_seed = static_cast<int64_t>(seed);
  if (flags.balance.empty()) return options;
  const auto balance = ParseMpiBalance(flags.balance);
  if (!balance.ok()) return UsageError(balance.status().message());
  options.balance = *balance;
  return options;
}

// Whether this process is rank 0, which prints errors; known before MPI begins.
bool IsFirstRank() {
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  return rank == nullptr || std::string(rank) == "0";
}

int EndWithUsage(const absl::Status& status) {
  if (!IsFirstRank()) return 0;  // mpirun takes the first one's code
  std::fputs(ErrorText(kName, status).c_str(), stderr);
  return ExitCodeOf(status);
}

// A rank that cannot allocate ends all: the others wait for it.
absl::Status RunWithinMemory(const Communicator& comm,
                             const MpiPartitionOptions& options) {
  try {
    return RunMpiPartition(comm, options);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr,
                 "%s: RESOURCE_EXHAUSTED: out of memory in process %d "
                 "of %d; start more, on more machines\n",
                 kName, comm.rank(), comm.size());
    MPI_Abort(comm.comm(), kExitFailure);
    std::abort();
  }
}

int Main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  CLI::App app(
      "Assigns the nodes of a graph to partitions, so that few edges "
      "are cut, in the processes of an MPI program.",
      kName);
  Flags flags;
  Declare(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return EndWithUsage(
        UsageError(absl::StrCat(error.what(), "\nTry `", kName, " --help`.")));
  }
  const auto options = ReadFlags(flags);
  if (!options.ok()) return EndWithUsage(options.status());
  // Before MPI's threads, which inherit the blocked signals.
  SignalWatcher signals({.program = IsFirstRank() ? kName : ""});
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  const Communicator comm(MPI_COMM_WORLD);
  absl::Status status = RunWithinMemory(comm, *options);
  if (comm.rank() == 0) {
    if (std::fflush(stdout) != 0 && status.ok()) {
      status = absl::UnavailableError("cannot write to stdout");
    }
    if (!status.ok()) std::fputs(ErrorText(kName, status).c_str(), stderr);
  }
  MPI_Finalize();
  // mpirun ends all processes when one fails: the others leave that to rank 0.
  return comm.rank() == 0 ? ExitCodeOf(status) : 0;
}

}  // namespace
}  // namespace tributary

// Where AddressSanitizer is linked: Open MPI keeps memory until the process
// ends.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

int main(int argc, char** argv) { return tributary::Main(argc, argv); }
