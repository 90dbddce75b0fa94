#include "trainer_client/core/kinds/option_error.h"

#include "absl/strings/str_cat.h"
#include "common/text/utf8.h"

namespace tributary {

absl::Status BadLoaderOption(absl::string_view field, absl::string_view value,
                             absl::string_view allowed) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, "; allowed: ", allowed));
}

absl::Status CheckUtf8(absl::string_view field, absl::string_view name) {
  if (IsUtf8(name)) return absl::OkStatus();
  return BadLoaderOption(field, name, "UTF-8");
}

}  // namespace tributary
