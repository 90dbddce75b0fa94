#include "cli/graph/generate_command.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/command/arguments.h"
#include "cli/command/stage_progress.h"
#include "cli/graph/input_options.h"
#include "cli/hot/degree_list.h"
#include "common/text/status.h"
#include "partition/pipeline/inputs/out_edges.h"
#include "partition/pipeline/inputs/rmat/rmat.h"
#include "partition/pipeline/inputs/rmat/rmat_chunks.h"
#include "partition/pipeline/partitioners/partitioner.h"
#include "partition/schema/hot_list_json.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Examples:
  tributary generate rmat --scale 10 --edges 16000 --feat-dim 16 --out small
  tributary generate rmat --scale 21 --edges 60000000 --feat-dim 100 \
      --random-seed 1 --out rmat21 --num-parts 2
  tributary generate rmat --scale 10 --edges 16000 --edge-weights \
      --edge-times --out timed
  Files like a user's, larger than memory, for tributary partition:
  tributary generate rmat --scale 24 --edges 500000000 --feat-dim 100 \
      --feat-dtype float16 --chunks rmat24)";

class GenerateCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "generate",
        "Generate a synthetic graph and write it as a graph folder, or as "
        "chunks for tributary partition.");
    app->add_option("model", model_, "Model: rmat")->required();
    app->add_option("--scale", scale_, "2^SCALE nodes")->required();
    app->add_option("--edges", edges_, "Number of edges")->required();
    app->add_option("--feat-dim", feat_dim_, "Features per node; 0: none")
        ->capture_default_str();
    app->add_option("--feat-dtype", feat_dtype_,
                    "Type of the features: float32 or float16")
        ->capture_default_str();
    app->add_option("--classes", classes_, "Number of labels")
        ->capture_default_str();
    app->add_flag("--edge-weights", rmat_.edge_weights,
                  "A random weight in [0, 1) for each edge");
    app->add_flag("--edge-times", rmat_.edge_times,
                  "A random time, 0 to 999999, for each edge");
    app->add_flag("--node-times", rmat_.node_times,
                  "A random time, 0 to 999999, for each node");
    app->add_option("--edge-masks", rmat_.edge_masks,
                    "Random masks, each of half of the edges: NAME,..")
        ->delimiter(',')
        ->allow_extra_args(false);
    app->add_flag(
        "--out-edges", out_edges_,
        "Also store edges by their sources, for --edge-dir out and both");
    app->add_option("--random-seed", flags_.random_seed,
                    "Seed of the graph and of --method random")
        ->capture_default_str();
    CLI::Option* out =
        app->add_option("--out", out_, "Graph folder to write; must not exist");
    app->add_option("--chunks", chunks_,
                    "Write chunks in DGL's layout (metadata.json, .npy) to "
                    "this folder instead, in bounded memory")
        ->excludes(out);
    app->add_option("--chunk-rows", chunk_rows_, "Rows of each chunk")
        ->capture_default_str();
    AddPartitionFlags(*app, flags_);
    DeclareDegreeList(*app, hot_list_);
    app->add_option("--name", rmat_.name, "Name; default: rmat-SCALE");
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const PartitionOptions options,
                     ReadPartitionFlags(flags_));
    RETURN_IF_ERROR(ReadRmatFlags(options.random_seed));
    ASSIGN_OR_RETURN(const bool hot_list, ReadDegreeFlag(hot_list_));
    if (!chunks_.empty()) return WriteChunks();
    if (out_.empty()) {
      return UsageError("no --out\nallowed: --out FOLDER, or --chunks FOLDER");
    }
    RETURN_IF_ERROR(CheckOutIsFree(out_));
    ASSIGN_OR_RETURN(GraphContent content, GenerateRmat(rmat_));
    if (out_edges_) RETURN_IF_ERROR(AddOutEdges(&content));
    ASSIGN_OR_RETURN(NodePlan plan, PlanNodes(content, options));
    ASSIGN_OR_RETURN(const GraphSchema schema,
                     WriteGraph(content, std::move(plan), out_,
                                {.made_by = MadeBy(options),
                                 .neighbor_ids = flags_.neighbor_ids,
                                 .degrees = flags_.degrees,
                                 .edge_index = flags_.edge_index}));
    PrintWritten(out_, schema);
    if (!hot_list) return absl::OkStatus();
    return AddDegreeList(out_, "tributary generate", UINT64_MAX);
  }

 private:
  absl::Status WriteChunks() {
    if (out_edges_ || !StoredFlagsText(flags_).empty()) {
      return UsageError(
          "--chunks with --out-edges, --neighbor-ids, --degrees or "
          "--edge-index\nallowed: these flags of tributary partition, later");
    }
    ASSIGN_OR_RETURN(
        const uint64_t chunk_rows,
        ParseWhole("--chunk-rows", chunk_rows_, 1, uint64_t{1} << 40));
    const uint64_t bytes = RmatChunkBytes(rmat_);
    StageProgress progress("tributary generate",
                           absl::StrCat("writes ", bytes, " bytes"));
    RETURN_IF_ERROR(WriteRmatChunks(
        rmat_,
        {.folder = chunks_, .chunk_rows = static_cast<int64_t>(chunk_rows)}));
    std::printf("wrote %s nodes=%lld edges=%lld bytes=%llu\n", chunks_.c_str(),
                1LL << rmat_.scale, static_cast<long long>(rmat_.edges),
                static_cast<unsigned long long>(bytes));
    return absl::OkStatus();
  }

  absl::Status ReadRmatFlags(uint64_t random_seed) {
    RETURN_IF_ERROR(ParseChoice("model", model_, {"rmat"}).status());
    ASSIGN_OR_RETURN(const uint64_t scale,
                     ParseWhole("--scale", scale_, 1, 32));
    ASSIGN_OR_RETURN(const uint64_t edges,
                     ParseWhole("--edges", edges_, 0, uint64_t{1} << 40));
    ASSIGN_OR_RETURN(const uint64_t feat_dim,
                     ParseWhole("--feat-dim", feat_dim_, 0, 65536));
    ASSIGN_OR_RETURN(const uint64_t classes,
                     ParseWhole("--classes", classes_, 1, 65536));
    rmat_.scale = static_cast<int>(scale);
    rmat_.edges = static_cast<int64_t>(edges);
    rmat_.feat_dim = static_cast<int64_t>(feat_dim);
    rmat_.classes = static_cast<int64_t>(classes);
    rmat_.random_seed = random_seed;
    ASSIGN_OR_RETURN(
        const size_t dtype,
        ParseChoice("--feat-dtype", feat_dtype_, {"float32", "float16"}));
    if (dtype == 1) rmat_.feat_dtype = DType::kFloat16;
    return absl::OkStatus();
  }

  std::string MadeBy(const PartitionOptions& options) const {
    return absl::StrCat(
        "tributary generate rmat --scale ", scale_, " --edges ", edges_,
        " --feat-dim ", feat_dim_,
        rmat_.feat_dtype == DType::kFloat16 ? " --feat-dtype float16" : "",
        " --classes ", classes_, " --random-seed ", options.random_seed,
        " --num-parts ", options.num_partitions, " --method ", options.method,
        MethodFlagsText(options), rmat_.edge_weights ? " --edge-weights" : "",
        rmat_.edge_times ? " --edge-times" : "",
        rmat_.node_times ? " --node-times" : "",
        rmat_.edge_masks.empty() ? "" : " --edge-masks ",
        absl::StrJoin(rmat_.edge_masks, ","), out_edges_ ? " --out-edges" : "",
        StoredFlagsText(flags_));
  }

  RmatOptions rmat_;
  PartitionFlags flags_;
  std::string hot_list_ = kDegreeList;
  bool out_edges_ = false;
  std::string model_, scale_, edges_, out_, chunks_;
  std::string feat_dim_ = "0", feat_dtype_ = "float32", classes_ = "16";
  std::string chunk_rows_ = "16777216";
};

}  // namespace

std::unique_ptr<Command> MakeGenerateCommand() {
  return std::make_unique<GenerateCommand>();
}

}  // namespace tributary
