// The command-line options of what makes batches, shared by `sample` and
// `bench`.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_OPTIONS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_OPTIONS_H_

#include "cli/sample/sample_request.h"

namespace CLI {
class App;
}

namespace tributary {

// --graph, --servers, --mode.
void DeclareSampleSource(CLI::App& app, SampleArguments& arguments);
// --mode, --num-workers alone.
void DeclareSampleMode(CLI::App& app, SampleArguments& arguments);
// --input-nodes, --num-neighbors, ...: all that a batch depends on.
void DeclareSampleDraws(CLI::App& app, SampleArguments& arguments);
// --walk-length, --metapath, ...: those of --kind walk.
void DeclareSampleWalk(CLI::App& app, SampleArguments& arguments);
// --top-k, --alpha, ...: those of --kind ppr.
void DeclareSamplePpr(CLI::App& app, SampleArguments& arguments);
// --nodes-per-layer, ...: those of --kind layerwise.
void DeclareSampleLayerwise(CLI::App& app, SampleArguments& arguments);
// --input-edges, --neg-sampling, --neg-amount: those of --kind link.
void DeclareSampleLink(CLI::App& app, SampleArguments& arguments);
// --threads, --rpc-timeout, --buffer-size.
void DeclareSampleLimits(CLI::App& app, SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_OPTIONS_H_
