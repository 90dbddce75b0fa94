#include "cli/fetch/get_command.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/fetch/get_folder.h"
#include "cli/fetch/store_flags.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kFooter[] =
    R"(FOLDER appears when every file in it has its checksum. Until then the files are
in FOLDER.fetching: whatever ends the program, the same command goes on from
there. A FOLDER that is complete already is left alone.
Credentials are found as by Amazon's programs: AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, profiles, a pod's identity. SSL_CERT_FILE names the
certificates to trust; default: the system's.
Examples:
  tributary-fetch get s3://graphs/2026-11-24 /graphs/2026-11-24
  tributary-fetch get s3://graphs/papers papers --partitions 0,2
  tributary-fetch get s3://graphs/papers papers --endpoint http://minio:9000
  tributary-fetch get s3://ogb/raw/products products --any-files --anonymous)";

class GetCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& root) override {
    CLI::App* app = root.add_subcommand(
        "get", "Fetch a graph from an object store into a folder.");
    app->add_option("source", source_,
                    "s3://BUCKET/PREFIX, file:///PATH or a folder")
        ->required();
    app->add_option("folder", options_.folder, "Folder to make")->required();
    app->add_option("--partitions", partitions_,
                    "Only what a server of these partitions reads: all or *, "
                    "numbers: 0,2, or a share: 1%4 (see tributary serve)")
        ->capture_default_str();
    app->add_flag("--any-files", options_.any_files,
                  "Fetch all objects below the prefix, which are no graph; "
                  "only their lengths are checked");
    AddStoreFlags(*app, flags_);
    app->footer(kFooter);
    return app;
  }

  absl::Status Run(SignalWatcher&) override {
    ASSIGN_OR_RETURN(const StoreSettings settings, ReadStoreFlags(flags_));
    RETURN_IF_ERROR(ReadOptions());
    options_.fetch.jobs = settings.jobs;
    options_.retry_for = settings.retry_for;
    ASSIGN_OR_RETURN(const auto store, OpenStore(source_, flags_, settings));
    ASSIGN_OR_RETURN(const Transferred done, GetFolder(options_, *store));
    std::printf("%s %s: %s, %lu files, %lu bytes\n",
                done.already ? "complete already:" : "fetched",
                options_.folder.c_str(), done.name.c_str(), done.files,
                done.bytes);
    return absl::OkStatus();
  }

 private:
  absl::Status ReadOptions() {
    auto partitions = PartitionChoice::Parse(partitions_);
    if (!partitions.ok()) {
      return UsageError(
          absl::StrCat("--partitions: ", partitions.status().message()));
    }
    options_.partitions = *std::move(partitions);
    if (options_.any_files && partitions_ != "all") {
      return UsageError("--partitions and --any-files; allowed: one of them");
    }
    absl::string_view folder = options_.folder;
    while (folder.size() > 1 && absl::ConsumeSuffix(&folder, "/")) {
    }
    options_.folder = std::string(folder);
    if (!options_.folder.empty() && options_.folder != "/") {
      return absl::OkStatus();
    }
    return UsageError("folder is \"\" or /; allowed: a folder to make");
  }

  std::string source_;
  std::string partitions_ = "all";
  StoreFlags flags_;
  GetOptions options_;
};

}  // namespace

std::unique_ptr<Command> MakeGetCommand() {
  return std::make_unique<GetCommand>();
}

}  // namespace tributary
