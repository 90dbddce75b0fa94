// Declares the command-line flags that `sample` and `bench` share. Each
// function adds flags to `app`; parsing writes their text into `arguments`,
// which must outlive `app`.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_OPTIONS_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_OPTIONS_H_

#include "cli/sample/sample_request.h"

namespace CLI {
class App;
}

namespace tributary {

// --graph, --servers, --worker-options, and those of DeclareSampleMode().
void DeclareSampleSource(CLI::App& app, SampleArguments& arguments);
// --mode, --num-workers, --feature-memory.
void DeclareSampleMode(CLI::App& app, SampleArguments& arguments);
// --input-nodes, --num-neighbors, ...: what a batch depends on. Adds those of
// DeclareSampleBatches() and DeclareSampleSeed().
void DeclareSampleDraws(CLI::App& app, SampleArguments& arguments);
// All but the flags that `partition` has too, with another meaning.
void DeclareSampleBatches(CLI::App& app, SampleArguments& arguments);
// --random-seed, --feature-dtype.
void DeclareSampleSeed(CLI::App& app, SampleArguments& arguments);
// The flags of --kind walk: --walk-length, --metapath, ...
void DeclareSampleWalk(CLI::App& app, SampleArguments& arguments);
// The flags of --kind ppr: --top-k, --alpha, ...
void DeclareSamplePpr(CLI::App& app, SampleArguments& arguments);
// The flags of --kind layerwise: --nodes-per-layer, ...
void DeclareSampleLayerwise(CLI::App& app, SampleArguments& arguments);
// The flags of --kind link: --input-edges, --neg-sampling, --neg-amount, ...
void DeclareSampleLink(CLI::App& app, SampleArguments& arguments);
// --threads, --rpc-timeout, --buffer-size, --worker-key, --graph-name.
void DeclareSampleLimits(CLI::App& app, SampleArguments& arguments);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_OPTIONS_H_
