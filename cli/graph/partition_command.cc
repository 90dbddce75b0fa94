#include "cli/graph/partition_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/stage_progress.h"
#include "cli/graph/input_options.h"
#include "cli/hot/degree_list.h"
#include "cli/hot/hot_arguments.h"
#include "common/process/memory_limit.h"
#include "common/runtime/usable_cores.h"
#include "common/text/parse_byte_size.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_manifest.h"
#include "partition/pipeline/run/partition_run.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

constexpr uint64_t kMaxThreads = 1024;
constexpr int kMaxSamplingThreads = 64;
constexpr char kHotGroup[] =
    "Batches that --hot-cache samples beforehand (see tributary cache)";
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
  With a cache of the rows that each partition's server reads most of others:
  tributary partition --input data/products --out products.graph --num-parts 8 \
      --method metis --hot-cache 0.2 --input-nodes train \
      --num-neighbors 15,10,5 --batch-size 1024
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
                    "Seed of --method random, and of --hot-cache's sampling")
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
    DeclareDegreeList(*app, hot_list_);
    DeclareHotSize(*app, hot_);
    hot_flags_ = app->add_option_group(kHotGroup);
    DeclareHotList(*hot_flags_, hot_);
    DeclareHotBatches(*hot_flags_, hot_, {"random_seed", "feature_dtype"});
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const PartitionOptions options,
                     ReadPartitionFlags(flags_));
    if (input_.folder.empty() && !input_.layout.config.has_value()) {
      return UsageError("--input is required\nallowed: a folder, or --config");
    }
    PartitionRun run;
    RETURN_IF_ERROR(ReadBounds(run));
    ASSIGN_OR_RETURN(const std::optional<HotCacheRequest> hot,
                     ReadHotFlags(options, run.threads));
    ASSIGN_OR_RETURN(run.hot_list, ReadDegreeFlag(hot_list_));
    const absl::Status is_free = CheckOutIsFree(out_);
    if (keep_existing_ && absl::IsAlreadyExists(is_free)) {
      RETURN_IF_ERROR(KeepExisting(MadeBy(options)));
      return AddLists(run, hot);
    }
    RETURN_IF_ERROR(is_free);
    run.input = input_;
    run.partition = options;
    run.write = {.made_by = MadeBy(options),
                 .neighbor_ids = flags_.neighbor_ids,
                 .degrees = flags_.degrees,
                 .edge_index = flags_.edge_index};
    run.out = out_;
    run.work_folder = work_folder_;
    std::optional<StageProgress> progress;
    progress.emplace("tributary partition", "reads the input");
    run.progress = [&](std::string_view stage, int64_t done, int64_t total) {
      progress->Report(stage, done, total);
    };
    run.note = [&](std::string_view note) { progress->Note(note); };
    ASSIGN_OR_RETURN(const GraphSchema schema, RunPartition(run));
    progress.reset();
    PrintWritten(out_, schema);
    return AddLists(run, hot);
  }

 private:
  // Reads --hot-cache and its flags, before anything is done; none without it.
  absl::StatusOr<std::optional<HotCacheRequest>> ReadHotFlags(
      const PartitionOptions& options, int threads) {
    if (hot_.size.empty()) {
      for (const CLI::Option* flag : hot_flags_->get_options()) {
        if (flag->count() == 0) continue;
        return UsageError(absl::StrCat(flag->get_name(),
                                       " without --hot-cache\nallowed: with "
                                       "it, whose batches it describes"));
      }
      return std::nullopt;
    }
    if (options.num_partitions == 1) {
      return UsageError(
          "--hot-cache with --num-parts 1\nallowed: 2 partitions or more; one "
          "has all rows itself");
    }
    hot_.sample.graph = out_;
    hot_.sample.session.Set("random_seed", flags_.random_seed);
    hot_.sample.threads = absl::StrCat(std::min(threads, kMaxSamplingThreads));
    return ReadHotArguments(hot_);
  }

  // Adds to the finished folder what is asked for and is not there yet.
  absl::Status AddLists(const PartitionRun& run,
                        const std::optional<HotCacheRequest>& hot) const {
    if (run.hot_list) {
      RETURN_IF_ERROR(
          AddDegreeList(out_, "tributary partition", run.memory_bytes));
    }
    return MakeCache(hot);
  }

  // Makes the cache and the hot list that is sampled.
  absl::Status MakeCache(const std::optional<HotCacheRequest>& hot) const {
    if (!hot.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(out_));
    ASSIGN_OR_RETURN(const std::optional<HotManifest> there,
                     ReadHotManifest(out_, schema));
    if (there.has_value() && there->made_by == hot->made_by &&
        ReadHotListFiles(out_, hot->list, schema).ok()) {
      std::fprintf(stderr, "tributary partition: note: %s was there already\n",
                   HotFolderOf(out_).c_str());
      return absl::OkStatus();
    }
    const absl::Status made = RunHotCache(*hot, "tributary partition");
    if (made.ok()) return made;
    return absl::Status(
        made.code(),
        absl::StrCat("--hot-cache: ", made.message(), "\n", out_,
                     " is complete without it; `tributary cache` makes one"));
  }

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
  std::string hot_list_ = kDegreeList;
  HotArguments hot_;
  CLI::App* hot_flags_ = nullptr;  // the group of hot_'s flags
};

}  // namespace

std::unique_ptr<Command> MakePartitionCommand() {
  return std::make_unique<PartitionCommand>();
}

}  // namespace tributary
