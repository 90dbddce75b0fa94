#include "trainer_client/torch/command/run_identity.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/hash/sha256.h"

namespace tributary {
namespace {

constexpr size_t kMaxBytes = 253;  // of a name in Kubernetes
constexpr absl::string_view kNodeRank = "--node-rank";
constexpr size_t kDigits = 16;

std::string OfCommand(absl::Span<const std::string> words) {
  std::string common;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == kNodeRank) {
      ++i;  // and its value
    } else if (!absl::StartsWith(words[i], absl::StrCat(kNodeRank, "="))) {
      absl::StrAppend(&common, words[i].size(), ":", words[i]);
    }
  }
  return absl::StrCat("command-", ToHex(Sha256Of(common)).substr(0, kDigits));
}

}  // namespace

absl::StatusOr<std::string> RunIdOf(
    absl::string_view given, absl::Span<const std::string> words,
    absl::FunctionRef<const char*(const char*)> variable) {
  if (given.size() > kMaxBytes ||
      !std::all_of(given.begin(), given.end(), absl::ascii_isgraph)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--run-id has ", given.size(), " bytes; allowed: 1 to ", kMaxBytes,
        " printable characters of ASCII without spaces"));
  }
  if (!given.empty()) return std::string(given);
  const char* torchrun = variable("TORCHELASTIC_RUN_ID");
  if (torchrun != nullptr && *torchrun != '\0' &&
      absl::string_view(torchrun) != "none") {
    return std::string(torchrun);
  }
  return OfCommand(words);
}

}  // namespace tributary
