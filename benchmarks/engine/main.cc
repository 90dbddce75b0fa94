// Measures sampling, and the limit of the machine's memory, in the same run;
// compare machines by the ratio.
//
//   bazel run -c opt //benchmarks/engine -- --scale=21 --edges=60000000
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "benchmarks/engine/bench_inputs.h"

namespace tributary {
namespace {

int64_t FlagOf(int argc, char** argv, const std::string& name,
               int64_t otherwise) {
  const std::string prefix = "--" + name + "=";
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) == 0) {
      return std::atoll(argv[i] + prefix.size());
    }
  }
  return otherwise;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const auto scale =
      static_cast<int>(tributary::FlagOf(argc, argv, "scale", 19));
  const int64_t edges =
      tributary::FlagOf(argc, argv, "edges", int64_t{28} << scale);
  if (scale < 10 || scale > 28 || edges < 1 || edges > UINT32_MAX) {
    std::fprintf(stderr, "allowed: --scale=10..28 --edges=1..4294967295\n");
    return 2;
  }
  const tributary::RmatGraph graph(scale, edges, /*seed=*/1);
  tributary::SetBenchGraph(&graph);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
