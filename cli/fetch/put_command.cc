#include "cli/fetch/put_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "cli/fetch/put_graph.h"
#include "cli/fetch/store_flags.h"
#include "cli/fetch/store_location.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(graph.json comes last, so nobody finds half a graph. Whatever ends the program,
the same command goes on: objects that are there with the right length and
checksum are not stored again. A prefix that has another graph is refused.
Credentials are found as by Amazon's programs: see tributary-fetch get --help.
Examples:
  tributary-fetch put /scratch/papers s3://graphs/papers
  tributary-fetch put papers s3://graphs/papers --endpoint http://minio:9000)";

class PutCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "put", "Store a graph's folder in an object store.");
    app->add_option("folder", options_.folder,
                    "Graph folder, with all of its partitions")
        ->required();
    app->add_option("target", target_, "s3://BUCKET/PREFIX")->required();
    AddStoreFlags(*app, flags_);
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const StoreSettings settings, ReadStoreFlags(flags_));
    const auto location = ParseStoreLocation(target_);
    if (location.ok() && !location->is_s3()) {
      return UsageError("target \"" + target_ +
                        "\"; allowed: s3://BUCKET/PREFIX");
    }
    options_.jobs = settings.jobs;
    options_.retry_for = settings.retry_for;
    ASSIGN_OR_RETURN(const auto store, OpenStore(target_, flags_, settings));
    ASSIGN_OR_RETURN(const Transferred done, PutGraph(options_, *store));
    std::printf("%s %s: %s, %lu files, %lu bytes\n",
                done.already ? "complete already:" : "stored", target_.c_str(),
                done.name.c_str(), done.files, done.bytes);
    return absl::OkStatus();
  }

 private:
  std::string target_;
  StoreFlags flags_;
  PutOptions options_;
};

}  // namespace

std::unique_ptr<Command> MakePutCommand() {
  return std::make_unique<PutCommand>();
}

}  // namespace tributary
