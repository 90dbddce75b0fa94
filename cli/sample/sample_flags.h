// Declares the command-line flags of commands that sample. Each function adds
// flags to `app`; parsing writes their text into `arguments`, which must
// outlive `app`.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_FLAGS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_FLAGS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "cli/sample/sample_request.h"

namespace CLI {
class App;
}

namespace tributary {

// --graph, --servers, --worker-options, and those of DeclareSampleMode().
void DeclareSampleSource(CLI::App& app, SampleArguments& arguments);
// --mode, --num-workers, --feature-memory.
void DeclareSampleMode(CLI::App& app, SampleArguments& arguments);
// The flags of all that a batch depends on: one for each option of
// SessionTable() but those in `except`, --session, --epoch and --batches.
void DeclareSession(CLI::App& app, SampleArguments& arguments,
                    const std::vector<absl::string_view>& except = {});
// --threads, --rpc-timeout, --buffer-size, --worker-key, --graph-name,
// --trace-file.
void DeclareSampleLimits(CLI::App& app, SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_FLAGS_H_
