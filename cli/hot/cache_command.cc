#include "cli/hot/cache_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "cli/hot/degree_list.h"
#include "cli/hot/hot_arguments.h"
#include "cli/sample/sample_flags.h"
#include "common/text/status.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

constexpr char kDescription[] =
    R"(Finds the rows that batches read most, by sampling beforehand, and writes

  a hot list (hot-lists/NAME/ of the graph): the order of the rows, by which
    trainers hold the first ones (--trainer-cache), so that servers need not send
    them;
  with --hot-cache, caches (hot/): each partition gets the hottest rows of other
    partitions, so that its server need not ask for them.

Batches stay the same bytes. New ones take the place of older ones, and `rm -r`
removes them; servers read them when they start. `--list degree` samples nothing:
that order is by the nodes' numbers of out-edges.

Samples as `tributary sample` does, with the same flags: --batches of --epoch
choose the rows, those of the next epoch predict what is saved. Prints what
trainers that hold a share of the rows are still sent, and whether that pays; with
--hot-cache, for each partition and for other sizes, the bytes of rows that a batch
asks of peers.)";

constexpr char kFooter[] = R"(Examples:
  The hot list alone, by the batches of an epoch:
    tributary cache --graph products --input-nodes train \
        --num-neighbors 15,10,5 --batch-size 1024
  A fifth of the nodes, by the batches of an epoch, as GLT's cache_ratio:
    tributary cache --graph products --hot-cache 0.2 --input-nodes train \
        --num-neighbors 15,10,5 --batch-size 1024
  At most 2 GB for each partition, by 500 batches:
    tributary cache --graph papers --hot-cache 2GB --input-nodes train \
        --num-neighbors 15,10 --batch-size 1024 --batches 0:500
  For servers that make batches of their own partition's inputs alone:
    tributary cache --graph products --hot-cache 0.2 --shuffle local \
        --input-nodes train --num-neighbors 15,10,5 --batch-size 1024
  What other sizes would save; writes nothing:
    tributary cache --graph products --hot-cache 0.1 --dry-run \
        --input-nodes train --num-neighbors 15,10,5 --batch-size 1024)";

class CacheCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand("cache", kDescription);
    app->footer(kFooter);
    SampleArguments& sample = arguments_.sample;
    app->add_option("--graph", sample.graph, "The graph folder")
        ->required()
        ->type_name("DIR");
    DeclareHotSize(*app, arguments_);
    DeclareHotList(*app, arguments_);
    app->add_flag("--dry-run", arguments_.dry_run,
                  "Predict, and write nothing");
    DeclareHotBatches(*app, arguments_);
    app->add_option("--threads", sample.threads, "Threads, 1 to 64")
        ->type_name("N")
        ->capture_default_str();
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    if (arguments_.list == kDegreeList) return MakeDegreeList();
    ASSIGN_OR_RETURN(const HotCacheRequest request,
                     ReadHotArguments(arguments_));
    return RunHotCache(request, "tributary cache");
  }

 private:
  absl::Status MakeDegreeList() const {
    if (!arguments_.size.empty() || arguments_.dry_run ||
        arguments_.trainer_share > 0) {
      return UsageError(
          "--list degree with --hot-cache, --trainer-cache or "
          "--dry-run\nallowed: --list degree "
          "alone, which samples nothing");
    }
    const std::string& folder = arguments_.sample.graph;
    ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(folder));
    if (!HasListedTypes(schema)) {
      return absl::InvalidArgumentError(absl::StrCat(
          folder, " has no features and no labels of nodes to list"));
    }
    RETURN_IF_ERROR(tributary::WriteDegreeList(folder));
    std::printf("wrote %s/hot-lists/%s\n", folder.c_str(), kDegreeList);
    return absl::OkStatus();
  }

  HotArguments arguments_;
};

}  // namespace

std::unique_ptr<Command> MakeCacheCommand() {
  return std::make_unique<CacheCommand>();
}

}  // namespace tributary
