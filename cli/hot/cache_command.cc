#include "cli/hot/cache_command.h"

#include <CLI/CLI.hpp>

#include "cli/hot/hot_arguments.h"
#include "cli/sample/sample_flags.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kDescription[] =
    R"(Makes a graph's cache of hot rows, by sampling beforehand: each partition
gets the rows of other partitions that batches read most, and its server then
need not ask for them. Batches stay the same bytes. The cache is in the folder
hot/ of the graph; a new one takes its place, and `rm -r` removes it.

Samples as `tributary sample` does, with the same flags: --batches of --epoch
choose the rows, those of the next epoch predict what is saved. Prints, for each
partition and for other sizes, the bytes of rows that a batch asks of peers.)";

constexpr char kFooter[] = R"(Examples:
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
    DeclareHotSize(*app, arguments_)->required();
    app->add_flag("--dry-run", arguments_.dry_run,
                  "Predict, and write nothing");
    DeclareHotBatches(*app, arguments_);
    app->add_option("--threads", sample.threads, "Threads, 1 to 64")
        ->type_name("N")
        ->capture_default_str();
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const HotCacheRequest request,
                     ReadHotArguments(arguments_));
    return RunHotCache(request, "tributary cache");
  }

 private:
  HotArguments arguments_;
};

}  // namespace

std::unique_ptr<Command> MakeCacheCommand() {
  return std::make_unique<CacheCommand>();
}

}  // namespace tributary
