#include "cli/sample/sample_fanouts.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "common/session/spec_builder.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr char kNumNeighborsAllowed[] =
    "a number for each hop, -1 for all: 15,10,5; typed graphs also "
    "4,3;src,rel,dst=2,0, all of one length";

absl::Status NumNeighborsError(absl::string_view text, absl::string_view why) {
  return UsageError(absl::StrCat("--num-neighbors \"", text, "\": ", why,
                                 "\nallowed: ", kNumNeighborsAllowed));
}

absl::Status CheckFanouts(absl::string_view text, absl::string_view whose,
                          const std::vector<int32_t>& fanouts,
                          size_t num_hops) {
  if (fanouts.size() != num_hops) {
    return NumNeighborsError(text, absl::StrCat(whose, " has ", fanouts.size(),
                                                " hops, not ", num_hops));
  }
  for (int32_t fanout : fanouts) {
    if (fanout < -1) {
      return NumNeighborsError(text, absl::StrCat(fanout, " is below -1"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FillNumNeighbors(absl::string_view text,
                              NeighborLoaderOptions* options) {
  if (text.empty()) {
    return UsageError(absl::StrCat("--num-neighbors is required\nallowed: ",
                                   kNumNeighborsAllowed));
  }
  auto parsed = ParseNumNeighbors(std::string_view(text.data(), text.size()));
  if (!parsed.ok()) return NumNeighborsError(text, parsed.status().message());
  if (parsed->by_default.empty()) {
    parsed->by_default.resize(parsed->by_edge_type.begin()->second.size());
  }
  const size_t hops = parsed->by_default.size();
  RETURN_IF_ERROR(CheckFanouts(text, "the default", parsed->by_default, hops));
  options->num_neighbors = std::move(parsed->by_default);
  for (auto& [type, fanouts] : parsed->by_edge_type) {
    RETURN_IF_ERROR(CheckFanouts(text, type, fanouts, hops));
    options->num_neighbors_by_type.emplace_back(type, std::move(fanouts));
  }
  return absl::OkStatus();
}

}  // namespace tributary
