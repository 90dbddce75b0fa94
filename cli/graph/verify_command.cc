#include "cli/graph/verify_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "cli/command/arguments.h"
#include "cli/graph/input_options.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/pipeline/check/hot_check.h"
#include "partition/pipeline/check/sample_check.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/source/temporary_spool.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Reads every byte: checksums, structure, digests, and the cache of hot
rows. With --against, give the flags that the graph was partitioned with.
Examples:
  tributary verify cora.graph
  tributary verify cora.graph --against data/cora --add-reverse
  tributary verify big.graph --against data/big --sample 100000)";

constexpr uint64_t kMostSampled = 100'000'000;

class VerifyCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "verify",
        "Check a graph folder, and optionally compare it with its input.");
    app->add_option("graph", graph_, "Graph folder")->required();
    app->add_option("--against", input_.folder,
                    "Folder or file that it was made from");
    AddInputFlags(*app, input_);
    app->add_option("--sample", sample_,
                    "Compare only this many random nodes and edges of each "
                    "type with --against, and load neither: for graphs larger "
                    "than memory")
        ->type_name("N");
    app->add_option("--random-seed", random_seed_, "Seed that chooses them")
        ->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    if (!sample_.empty()) return VerifySample();
    ASSIGN_OR_RETURN(const GraphContent content, VerifyGraph(graph_));
    const bool against =
        !input_.folder.empty() || input_.layout.config.has_value();
    if (against) {
      ASSIGN_OR_RETURN(const Input input, ReadInput(input_));
      RETURN_IF_ERROR(CompareContent(content, input.content));
    }
    RETURN_IF_ERROR(VerifyHotRows());
    std::printf("verified %s%s%s\n", graph_.c_str(), against ? " against " : "",
                input_.folder.empty()
                    ? input_.layout.config.value_or("").c_str()
                    : input_.folder.c_str());
    return absl::OkStatus();
  }

 private:
  absl::Status VerifyHotRows() const {
    ASSIGN_OR_RETURN(const uint64_t rows, VerifyHotCache(graph_));
    if (rows > 0) {
      std::printf("the cache's %llu rows are their owners'\n",
                  static_cast<unsigned long long>(rows));
    }
    return absl::OkStatus();
  }
  absl::Status VerifySample() {
    SampleOptions options;
    ASSIGN_OR_RETURN(options.count,
                     ParseWhole("--sample", sample_, 1, kMostSampled));
    ASSIGN_OR_RETURN(options.random_seed,
                     ParseWhole("--random-seed", random_seed_));
    if (input_.folder.empty()) {
      return UsageError(
          "--sample: a sample is compared with an input\n"
          "allowed: with --against");
    }
    ASSIGN_OR_RETURN(const auto graph, Graph::Open(graph_, {.verify = true}));
    ASSIGN_OR_RETURN(const TemporarySpool temporary, TemporarySpool::Make());
    ASSIGN_OR_RETURN(const GraphSource input,
                     ReadSource(input_, temporary.spool()));
    RETURN_IF_ERROR(CompareSample(*graph, input, options));
    RETURN_IF_ERROR(VerifyHotRows());
    std::printf("verified a sample of %s against %s\n", graph_.c_str(),
                input_.folder.c_str());
    return absl::OkStatus();
  }

  std::string graph_;
  std::string sample_;  // empty: all
  std::string random_seed_ = "0";
  InputOptions input_;
};

}  // namespace

std::unique_ptr<Command> MakeVerifyCommand() {
  return std::make_unique<VerifyCommand>();
}

}  // namespace tributary
