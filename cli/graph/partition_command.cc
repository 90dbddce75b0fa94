#include "cli/graph/partition_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/stage_progress.h"
#include "cli/graph/input_options.h"
#include "common/process/memory_limit.h"
#include "common/runtime/usable_cores.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/pipeline/run/partition_run.h"

namespace tributary {
namespace {

constexpr uint64_t kMaxThreads = 1024;
constexpr uint64_t kLeastMemory = uint64_t{256} << 20;

constexpr char kFooter[] =
    R"(Examples:
  tributary partition --input data/cora --out cora.graph --num-parts 2
  tributary partition --input data/products --out products.graph --num-parts 8 \
      --method metis --add-reverse
  tributary partition --input data/products --out products.graph --num-parts 8 \
      --method ldg --balance train
  A graph larger than memory:
  tributary partition --input data/papers --out papers.graph --num-parts 8 \
      --method ldg --memory 4GiB
  tributary partition --input data/messages --out messages.graph \
      --edge-time edge_time --edge-weight edge_weight
  Edges in a csv file, whose ids are words; the dictionary of them is stored:
  tributary partition --format edge-list --input follows.csv --out follows.graph
  A folder that docs/data.md's ten lines write from PyG's Data or HeteroData:
  tributary partition --format npy --input arrays --out pyg.graph
  OGB's heterogeneous layout; each relation R gets a reverse rev_R:
  tributary partition --input data/aifb --out aifb.graph --add-reverse)";

class PartitionCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "partition", "Convert a graph's files to a partitioned graph folder.");
    app->add_option("--input", input_.folder,
                    "Folder of the graph's files, or a file of edges; with "
                    "--config the folder of its paths");
    AddInputFlags(*app, input_);
    app->add_option("--out", out_, "Folder to write; must not exist")
        ->required();
    AddPartitionFlags(*app, flags_);
    app->add_option("--random-seed", flags_.random_seed,
                    "Seed of --method random")
        ->capture_default_str();
    app->add_option("--name", input_.name,
                    "Name of the graph; default: the input folder's");
    app->add_option("--memory", memory_,
                    "Memory that the command may use, such as 4GiB; default: "
                    "half of the machine's");
    app->add_option("--threads", threads_,
                    "Threads; default: as many as there are cores");
    app->add_option("--work-folder", work_folder_,
                    "Folder for spilled edges, which a killed command leaves "
                    "for the same command to go on; on the disk of --out; "
                    "default: OUT.partial");
    app->add_flag(
        "--keep-existing", keep_existing_,
        "Succeed if --out exists and was made with the same flags, as "
        "when a Job runs again");
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const PartitionOptions options,
                     ReadPartitionFlags(flags_));
    if (input_.folder.empty() && !input_.layout.config.has_value()) {
      return UsageError("--input is required\nallowed: a folder, or --config");
    }
    const absl::Status is_free = CheckOutIsFree(out_);
    if (keep_existing_ && absl::IsAlreadyExists(is_free)) {
      return KeepExisting(MadeBy(options));
    }
    RETURN_IF_ERROR(is_free);
    PartitionRun run;
    run.input = input_;
    run.partition = options;
    run.write = {.made_by = MadeBy(options),
                 .neighbor_ids = flags_.neighbor_ids,
                 .degrees = flags_.degrees,
                 .edge_index = flags_.edge_index};
    run.out = out_;
    run.work_folder = work_folder_;
    RETURN_IF_ERROR(ReadBounds(run));
    std::optional<StageProgress> progress;
    progress.emplace("tributary partition", "reads the input");
    run.progress = [&](std::string_view stage, int64_t done, int64_t total) {
      progress->Report(stage, done, total);
    };
    run.note = [](std::string_view note) {
      std::fprintf(stderr, "tributary partition: note: %.*s\n",
                   static_cast<int>(note.size()), note.data());
    };
    ASSIGN_OR_RETURN(const GraphSchema schema, RunPartition(run));
    progress.reset();
    PrintWritten(out_, schema);
    return absl::OkStatus();
  }

 private:
  // Reads --memory and --threads.
  absl::Status ReadBounds(PartitionRun& run) const {
    run.threads = UsableCores();
    if (!threads_.empty()) {
      ASSIGN_OR_RETURN(const uint64_t threads,
                       ParseWhole("--threads", threads_, 1, kMaxThreads));
      run.threads = static_cast<int>(threads);
    }
    if (memory_.empty()) {
      ASSIGN_OR_RETURN(const MemoryLimit limit, ReadMemoryLimit());
      run.memory_bytes = limit.total / 2;
      return absl::OkStatus();
    }
    const auto bytes = ParseByteSize(memory_);
    if (!bytes.ok() || *bytes < kLeastMemory) {
      return UsageError(absl::StrCat("--memory \"", memory_,
                                     "\"\nallowed: a size from 256MiB, such "
                                     "as 4GiB"));
    }
    run.memory_bytes = *bytes;
    return absl::OkStatus();
  }

  absl::Status KeepExisting(const std::string& made_by) const {
    ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(out_));
    const bool same_name = input_.name.empty() || input_.name == schema.name;
    if (schema.made_by != made_by || !same_name) {
      return absl::AlreadyExistsError(
          absl::StrCat("--out ", out_, " exists and is the graph ", schema.name,
                       ", made by ", schema.made_by,
                       "\nallowed: to remove it, or another --out"));
    }
    std::fprintf(stderr, "tributary partition: note: %s was there already\n",
                 out_.c_str());
    PrintWritten(out_, schema);
    return absl::OkStatus();
  }

  // Returns all flags that determine the graph, without paths of this machine.
  std::string MadeBy(const PartitionOptions& options) const {
    return absl::StrCat("tributary partition --format ", input_.format,
                        " --num-parts ", options.num_partitions, " --method ",
                        options.method, " --random-seed ", options.random_seed,
                        MethodFlagsText(options), InputFlagsText(input_),
                        StoredFlagsText(flags_));
  }

  InputOptions input_;
  PartitionFlags flags_;
  std::string out_, memory_, threads_, work_folder_;
  bool keep_existing_ = false;
};

}  // namespace

std::unique_ptr<Command> MakePartitionCommand() {
  return std::make_unique<PartitionCommand>();
}

}  // namespace tributary
