#include "partition/format/hot_text.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/paths.h"

namespace tributary {

absl::StatusOr<std::optional<std::string>> ReadHotText(
    const std::string& folder) {
  auto text = ReadFile(absl::StrCat(HotFolderOf(folder), "/", kHotJson),
                       kMaxHotTextBytes);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  RETURN_IF_ERROR(text.status());
  return *std::move(text);
}

absl::StatusOr<std::string> HotDigestOf(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadHotText(folder));
  return text.has_value() ? ToHex(Sha256Of(*text)) : kNoHotCache;
}

}  // namespace tributary
