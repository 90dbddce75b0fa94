#include "trainer_client/core/session_text/session_option.h"

#include <algorithm>

#include "absl/strings/str_replace.h"

namespace tributary {

bool SessionOption::BelongsTo(absl::string_view kind) const {
  return words.kinds.empty() ||
         std::find(words.kinds.begin(), words.kinds.end(), kind) !=
             words.kinds.end();
}

std::string FlagOf(absl::string_view name) {
  return absl::StrCat("--", absl::StrReplaceAll(name, {{"_", "-"}}));
}

absl::Status RefuseOption(absl::string_view name, absl::string_view text,
                          absl::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(FlagOf(name), " \"", text, "\"\nallowed: ", allowed));
}

}  // namespace tributary
