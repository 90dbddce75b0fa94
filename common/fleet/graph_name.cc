#include "common/fleet/graph_name.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr size_t kShownDigits = 12;
constexpr size_t kMaxBytes = 1024;

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

}  // namespace

absl::StatusOr<GraphName> GraphName::Parse(std::string_view text) {
  GraphName parsed;
  const size_t at = text.rfind('@');
  parsed.name = std::string(text.substr(0, at));
  if (text.size() > kMaxBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a graph's name of ", text.size(), " bytes; at most ", kMaxBytes));
  }
  if (at == std::string_view::npos) return parsed;
  parsed.version = std::string(text.substr(at + 1));
  const bool is_version =
      !parsed.version.empty() &&
      parsed.version.size() <= 2 * Sha256Digest().size() &&
      std::all_of(parsed.version.begin(), parsed.version.end(), IsHexDigit);
  if (is_version) return parsed;
  return absl::InvalidArgumentError(absl::StrCat(
      "graph '", std::string(text),
      "'; allowed: NAME, or NAME@VERSION with the first digits of its content "
      "digest, 1 to 64 of 0-9 and a-f"));
}

bool GraphName::Matches(std::string_view graph,
                        const Sha256Digest& content) const {
  if (!name.empty() && name != graph) return false;
  return version.empty() || absl::StartsWith(ToHex(content), version);
}

std::string GraphName::ToString() const {
  return version.empty() ? name : absl::StrCat(name, "@", version);
}

std::string VersionedName(std::string_view graph, const Sha256Digest& content) {
  return absl::StrCat(std::string(graph), "@",
                      ToHex(content).substr(0, kShownDigits));
}

}  // namespace tributary
