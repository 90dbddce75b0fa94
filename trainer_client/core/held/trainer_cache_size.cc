#include "trainer_client/core/held/trainer_cache_size.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/text/parse_byte_size.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

absl::Status BadSize(std::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("trainer_cache is '", TerminalLine(std::string(text)),
                   "'; allowed: ", kTrainerCacheSizes));
}

}  // namespace

absl::StatusOr<TrainerCacheSize> TrainerCacheSize::Parse(
    std::string_view text) {
  TrainerCacheSize size;
  if (text == "off") return size;
  if (text == "auto") {
    size.automatic = true;
    return size;
  }
  double share = 0;
  if (absl::SimpleAtod({text.data(), text.size()}, &share)) {
    if (!(share >= 0 && share <= 1)) return BadSize(text);
    if (share > 0) size.share = share;
    return size;
  }
  const absl::StatusOr<uint64_t> bytes = ParseByteSize(text);
  if (!bytes.ok()) return BadSize(text);
  size.bytes = *bytes;
  return size;
}

std::string TrainerCacheSize::ToString() const {
  if (automatic) return "auto";
  if (share.has_value()) return absl::StrCat(*share);
  return bytes.has_value() ? absl::StrCat(*bytes, " bytes") : "off";
}

}  // namespace tributary
