#include "cli/graph/verify_command.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "cli/graph/input_options.h"
#include "common/text/status.h"
#include "partition/format/graph.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/hot_text.h"
#include "partition/format/paths.h"
#include "partition/pipeline/check/external_ids_check.h"
#include "partition/pipeline/check/hot_check.h"
#include "partition/pipeline/check/hot_list_check.h"
#include "partition/pipeline/check/sample_check.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/check/verify_partitions.h"
#include "partition/pipeline/inputs/input.h"
#include "partition/source/temporary_spool.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(Reads every byte: checksums, structure, digests, dictionaries of ids, the cache of
hot rows, and hot lists. With --against, give the flags that the graph was
partitioned with. With --partitions the folder may have these only, as a server's
does: all that it would read is compared with the checksums of graph.json,
hot/hot.json and the hot lists' files.json.
Examples:
  tributary verify cora.graph
  tributary verify cora.graph --partitions 0,1
  tributary verify cora.graph --against data/cora --add-reverse
  tributary verify big.graph --against data/big --sample 100000
  tributary verify big.graph --against data/big --sample 100000 --partitions 1)";

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
    app->add_option("--partitions", partitions_,
                    "Check the files of a server of these: all, numbers, or a "
                    "share such as 1%4");
    app->add_option("--layout-digest", layout_digest_,
                    "Fail if the folder is not this one, by graph.json's "
                    "layout_digest");
    app->add_option("--hot-digest", hot_digest_,
                    "Fail if the folder's cache of hot rows is not this one, "
                    "by the SHA-256 of hot/hot.json; none: any, or no cache");
    app->add_option("--hot-lists", hot_lists_,
                    "Fail if the folder lacks one of these hot lists, "
                    "NAME=DIGEST,.., by the SHA-256 of its files.json; none: "
                    "any");
    app->add_option("--sample", sample_,
                    "Compare only this many random nodes and edges of each "
                    "type with --against, and load neither, and as many rows "
                    "of hot lists: for graphs larger than memory")
        ->type_name("N");
    app->add_option("--random-seed", random_seed_, "Seed that chooses them")
        ->capture_default_str();
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    RETURN_IF_ERROR(CheckLayout());
    RETURN_IF_ERROR(CheckHotDigest());
    RETURN_IF_ERROR(CheckHotLists());
    if (!sample_.empty()) return VerifySample();
    if (!partitions_.empty()) return VerifySome();
    ASSIGN_OR_RETURN(const GraphContent content, VerifyGraph(graph_));
    const std::string against = InputPath();
    if (!against.empty()) {
      ASSIGN_OR_RETURN(const Input input, ReadInput(input_));
      RETURN_IF_ERROR(CompareContent(content, input.content));
      ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(graph_));
      RETURN_IF_ERROR(CompareExternalIds(schema, input.id_files));
    }
    RETURN_IF_ERROR(VerifyHotRows());
    RETURN_IF_ERROR(VerifyLists({}));
    std::printf("verified %s%s%s\n", graph_.c_str(),
                against.empty() ? "" : " against ", against.c_str());
    return absl::OkStatus();
  }

 private:
  absl::Status VerifyHotRows(const PartitionChoice& partitions = {}) const {
    ASSIGN_OR_RETURN(const HotRowsVerified verified,
                     VerifyHotCache(graph_, partitions));
    const auto rows = static_cast<unsigned long long>(verified.rows);
    const auto compared = static_cast<unsigned long long>(verified.compared);
    if (rows > 0 && rows == compared) {
      std::printf("the cache's %llu rows are their owners'\n", rows);
    } else if (rows > 0) {
      std::printf(
          "the cache's %llu rows are whole; %llu of them are of these "
          "partitions, and their owners'\n",
          rows, compared);
    }
    return absl::OkStatus();
  }
  absl::Status VerifyLists(const HotListCheckOptions& options) const {
    ASSIGN_OR_RETURN(const std::vector<HotListVerified> lists,
                     VerifyHotLists(graph_, options));
    for (const HotListVerified& list : lists) {
      std::printf(
          "the hot list %s orders %llu rows; the checksums of %llu are the "
          "graph's\n",
          list.name.c_str(), static_cast<unsigned long long>(list.rows),
          static_cast<unsigned long long>(list.compared));
    }
    return absl::OkStatus();
  }
  // Returns the folder, file or config of the input; empty if there is none.
  std::string InputPath() const {
    return input_.folder.empty() ? input_.layout.config.value_or("")
                                 : input_.folder;
  }

  absl::Status CheckLayout() const {
    if (layout_digest_.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(graph_));
    const std::string found = ToHex(schema.layout_digest);
    if (found == absl::AsciiStrToLower(layout_digest_)) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(graph_, " is another graph: its layout_digest is ", found,
                     "\nwanted: ", layout_digest_));
  }

  absl::Status CheckHotDigest() const {
    if (hot_digest_.empty() || hot_digest_ == kNoHotCache) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::string found, HotDigestOf(graph_));
    if (found == absl::AsciiStrToLower(hot_digest_)) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(HotFolderOf(graph_),
                     " is another cache: the digest of "
                     "hot.json is ",
                     found, "\nwanted: ", hot_digest_));
  }

  absl::Status CheckHotLists() const {
    if (hot_lists_.empty() || hot_lists_ == kNoHotLists) {
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const std::string digests, HotListDigestsOf(graph_));
    const std::vector<std::string> found = absl::StrSplit(digests, ',');
    for (const absl::string_view wanted : absl::StrSplit(hot_lists_, ',')) {
      if (std::find(found.begin(), found.end(), wanted) != found.end()) {
        continue;
      }
      return absl::FailedPreconditionError(
          absl::StrCat(graph_, "/", kHotListsFolder, " has ", digests,
                       "\nwanted: ", wanted));
    }
    return absl::OkStatus();
  }

  absl::Status VerifySome() const {
    if (!InputPath().empty()) {
      return UsageError(
          "--partitions with --against\nallowed: with --sample, or --against "
          "with a folder of all partitions");
    }
    ASSIGN_OR_RETURN(const PartitionChoice choice, ReadPartitions());
    ASSIGN_OR_RETURN(const std::string layout,
                     VerifyPartitions(graph_, choice));
    RETURN_IF_ERROR(VerifyHotRows(choice));
    RETURN_IF_ERROR(VerifyLists({.partitions = choice}));
    std::printf("verified %s partitions %s layout=%s\n", graph_.c_str(),
                choice.ToString().c_str(), layout.c_str());
    return absl::OkStatus();
  }

  absl::StatusOr<PartitionChoice> ReadPartitions() const {
    if (partitions_.empty()) return PartitionChoice();
    auto choice = PartitionChoice::Parse(partitions_);
    if (choice.ok()) return choice;
    return UsageError(
        absl::StrCat("--partitions: ", choice.status().message()));
  }

  absl::Status VerifySample() {
    SampleCheckOptions options;
    ASSIGN_OR_RETURN(options.count,
                     ParseWhole("--sample", sample_, 1, kMostSampled));
    ASSIGN_OR_RETURN(options.random_seed,
                     ParseWhole("--random-seed", random_seed_));
    const std::string against = InputPath();
    if (against.empty()) {
      return UsageError(
          "--sample: a sample is compared with an input\n"
          "allowed: with --against, or --config");
    }
    ASSIGN_OR_RETURN(const PartitionChoice choice, ReadPartitions());
    ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(graph_));
    ASSIGN_OR_RETURN(
        const auto graph,
        Graph::Open(graph_, {.partitions = choice.Of(schema.num_partitions),
                             .verify = true}));
    if (partitions_.empty()) {  // servers have no dictionaries
      RETURN_IF_ERROR(CheckExternalIds(graph_, graph->schema()));
    }
    ASSIGN_OR_RETURN(const TemporarySpool temporary, TemporarySpool::Make());
    ASSIGN_OR_RETURN(const GraphSource input,
                     ReadSource(input_, temporary.spool()));
    RETURN_IF_ERROR(CompareSample(*graph, input, options));
    ASSIGN_OR_RETURN(const auto id_files, IdFilesOf(input));
    RETURN_IF_ERROR(CompareExternalIds(graph->schema(), id_files));
    RETURN_IF_ERROR(VerifyHotRows(choice));
    RETURN_IF_ERROR(VerifyLists({.partitions = choice,
                                 .sample = options.count,
                                 .random_seed = options.random_seed}));
    std::printf("verified a sample of %s%s%s against %s\n", graph_.c_str(),
                partitions_.empty() ? "" : " partitions ", partitions_.c_str(),
                against.c_str());
    return absl::OkStatus();
  }

  std::string graph_;
  std::string sample_;  // empty: all
  std::string random_seed_ = "0";
  InputOptions input_;
  std::string partitions_, layout_digest_, hot_digest_, hot_lists_;
};

}  // namespace

std::unique_ptr<Command> MakeVerifyCommand() {
  return std::make_unique<VerifyCommand>();
}

}  // namespace tributary
