#include "partition/source/spool_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"

namespace tributary {

std::string SpoolName(const std::string& path, const std::string& kind) {
  std::string name = path.substr(path.rfind('/') + 1, 40);
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return !absl::ascii_isalnum(static_cast<uint8_t>(c)); },
      '_');
  return absl::StrCat(name, "-", ToHex(Sha256Of(path)).substr(0, 24), "-",
                      kind);
}

}  // namespace tributary
