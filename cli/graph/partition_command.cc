#include "cli/graph/partition_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/command/stage_progress.h"
#include "cli/graph/input_options.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Examples:
  tributary partition --input data/cora --out cora.graph --num-parts 2
  tributary partition --input data/products --out products.graph --num-parts 8 \
      --method metis --add-reverse
  tributary partition --input data/products --out products.graph --num-parts 8 \
      --method ldg --balance train
  tributary partition --input data/messages --out messages.graph \
      --edge-time edge_time --edge-weight edge_weight
  OGB's heterogeneous layout; each relation R gets a reverse rev_R:
  tributary partition --input data/aifb --out aifb.graph --add-reverse)";

class PartitionCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "partition", "Convert a graph's files to a partitioned graph folder.");
    app->add_option("--input", input_.folder, "Folder of the graph's files")
        ->required();
    AddInputFlags(*app, input_);
    app->add_option("--out", out_, "Folder to write; must not exist")
        ->required();
    AddPartitionFlags(*app, flags_);
    app->add_option("--random-seed", flags_.random_seed,
                    "Seed of --method random")
        ->capture_default_str();
    app->add_option("--name", input_.name,
                    "Name of the graph; default: the input folder's");
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
    const absl::Status is_free = CheckOutIsFree(out_);
    if (keep_existing_ && absl::IsAlreadyExists(is_free)) {
      return KeepExisting(MadeBy(options));
    }
    RETURN_IF_ERROR(is_free);
    StageProgress progress("tributary partition", "reads the input");
    ASSIGN_OR_RETURN(const Input input, ReadInput(input_));
    for (const std::string& note : input.notes) {
      std::fprintf(stderr, "tributary partition: note: %s\n", note.c_str());
    }
    progress.Begin("places the nodes");
    ASSIGN_OR_RETURN(NodePlan plan, PlanNodes(input.content, options));
    progress.Begin("writes the graph");
    ASSIGN_OR_RETURN(const GraphSchema schema,
                     WriteGraph(input.content, std::move(plan), out_,
                                {.made_by = MadeBy(options),
                                 .neighbor_ids = flags_.neighbor_ids,
                                 .degrees = flags_.degrees,
                                 .edge_index = flags_.edge_index}));
    PrintWritten(out_, schema);
    return absl::OkStatus();
  }

 private:
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
  std::string out_;
  bool keep_existing_ = false;
};

}  // namespace

std::unique_ptr<Command> MakePartitionCommand() {
  return std::make_unique<PartitionCommand>();
}

}  // namespace tributary
