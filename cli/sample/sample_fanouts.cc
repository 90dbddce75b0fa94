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

absl::Status NumNeighborsError(absl::string_view flag, absl::string_view text,
                               absl::string_view why) {
  return UsageError(absl::StrCat(flag, " \"", text, "\": ", why,
                                 "\nallowed: ", kNumNeighborsAllowed));
}

}  // namespace

absl::Status FillNumNeighbors(absl::string_view text, NeighborOptions* options,
                              absl::string_view flag) {
  if (text.empty()) {
    return UsageError(
        absl::StrCat(flag, " is required\nallowed: ", kNumNeighborsAllowed));
  }
  auto parsed = ParseNumNeighbors(std::string_view(text.data(), text.size()));
  if (!parsed.ok()) {
    return NumNeighborsError(flag, text, parsed.status().message());
  }
  const absl::Status checked = CheckNumNeighbors(*parsed);
  if (!checked.ok()) {
    return NumNeighborsError(flag, text, checked.message());
  }
  SetNumNeighbors(*std::move(parsed), options);
  return absl::OkStatus();
}

}  // namespace tributary
