// The flags of the hot cache, which `tributary cache` and `tributary partition`
// share, and the run that prints what the cache saves.
#ifndef TRIBUTARY_CLI_HOT_HOT_ARGUMENTS_H_
#define TRIBUTARY_CLI_HOT_HOT_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/hot/make_hot_cache.h"
#include "cli/sample/sample_request.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tributary {

// The text of each flag as it was given.
struct HotArguments {
  SampleArguments sample;        // `sample.graph` is the folder
  std::string size;              // of --hot-cache; empty: no caches
  std::string list = "sampled";  // of --list
  double trainer_share = 0;      // of --trainer-cache
  std::string order = "global";  // of --shuffle
  bool dry_run = false;
};

// Adds --hot-cache to `app`, and returns the option.
CLI::Option* DeclareHotSize(CLI::App& app, HotArguments& arguments);
// Adds --list and --trainer-cache.
void DeclareHotList(CLI::App& app, HotArguments& arguments);
// Adds the flags that say which batches are sampled beforehand, of every kind
// of sampling, but for those in `except` and --threads, which other commands
// have by another meaning. `arguments` must outlive `app`.
void DeclareHotBatches(CLI::App& app, HotArguments& arguments,
                       std::vector<absl::string_view> except = {});

// Parses and checks the flags, and reads the lists that they name. The graph's
// folder need not exist yet. Errors: usage errors, and those of ReadListFiles.
absl::StatusOr<HotCacheRequest> ReadHotArguments(const HotArguments& arguments);

// Makes the cache with a line of progress on stderr, which begins with
// `program`, and prints the forecasts for partitions and sizes. Errors as
// MakeHotCache.
absl::Status RunHotCache(const HotCacheRequest& request,
                         const std::string& program);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_HOT_HOT_ARGUMENTS_H_
