// The flags that say which neighbours are sampled.
#ifndef TRIBUTARY_CLI_SAMPLE_DRAW_FLAGS_H_
#define TRIBUTARY_CLI_SAMPLE_DRAW_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/session/draw_options.h"

namespace CLI {
class App;
}

namespace tributary {

// Their text as it was given, or the default as a user would write it.
struct DrawFlags {
  std::string draw = "uniform";
  std::string time = "none";
  std::string temporal_strategy = "uniform";
  std::string edge_dir = "in";
  std::string input_time;
  std::optional<std::string> edge_predicate;
  std::optional<std::string> edge_mask;
  bool layer_dependency = false;
  bool strict = false;
  bool disjoint = false;
};

// Adds --draw, --layer-dependency, --time, --temporal-strategy, --strict,
// --input-time, --disjoint, --edge-mask, --edge-predicate and --edge-dir.
// `flags` must outlive `app`.
void DeclareDrawFlags(CLI::App& app, DrawFlags& flags);

// The parsed flags.
struct DrawRequest {
  DrawOptions draws;
  std::vector<int64_t> input_time;
  std::string input_time_file;  // the file with input_time; empty: none
};

// Opens no file. Returns a usage error for a wrong value or combination.
absl::StatusOr<DrawRequest> ReadDrawFlags(const DrawFlags& flags, bool replace);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_DRAW_FLAGS_H_
