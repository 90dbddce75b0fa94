#include "cli/sample/sample_inputs.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/command.h"

namespace tributary {
namespace {

constexpr char kInputNodesAllowed[] =
    "a split (train, SCHEME/train), ids (1,2,3), @FILE.npy (ids or a mask) or "
    "* (all); TYPE: before it, once, in a typed graph";

// Parses comma-separated ids; nullopt if one is not.
std::optional<std::vector<int64_t>> ParseIds(absl::string_view text) {
  std::vector<int64_t> ids;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t id = 0;
    const char* end = part.data() + part.size();
    const auto [at, error] = std::from_chars(part.data(), end, id);
    if (error != std::errc() || at != end || id < 0) return std::nullopt;
    ids.push_back(id);
  }
  return ids;
}

// Ids have no slash, and names of splits no comma: "0/train" is the split of a
// scheme named 0, as `inspect` prints it.
bool IsIdList(absl::string_view text) {
  return (absl::ascii_isdigit(text[0]) || text[0] == '-') &&
         !absl::StrContains(text, '/');
}

}  // namespace

absl::Status ParseInputNodes(absl::string_view text, SampleRequest* request) {
  CommonLoaderOptions& loader = request->loader;
  absl::string_view rest = text;
  // Types and names of files may contain colons.
  size_t colon = text.find(":@");
  if (colon == absl::string_view::npos) colon = text.rfind(':');
  if (colon != absl::string_view::npos && !absl::StartsWith(text, "@")) {
    loader.input_type = std::string(text.substr(0, colon));
    rest = text.substr(colon + 1);
  }
  // Types of nodes have no comma: "paper:0,paper:1" names its type twice.
  const bool typed_well =
      rest.size() == text.size() ||
      (colon > 0 && !absl::StrContains(loader.input_type, ','));
  if (!typed_well || rest.empty() || rest == "@") {
    return UsageError(absl::StrCat("--input-nodes \"", text,
                                   "\"\nallowed: ", kInputNodesAllowed));
  }
  if (rest[0] == '@') {
    request->input_file = std::string(rest.substr(1));
    return absl::OkStatus();
  }
  if (rest == "*") {
    loader.all_nodes = true;
    return absl::OkStatus();
  }
  if (!IsIdList(rest)) {
    loader.input_split = std::string(rest);
    return absl::OkStatus();
  }
  auto ids = ParseIds(rest);
  if (!ids.has_value()) {
    return UsageError(absl::StrCat("--input-nodes \"", text,
                                   "\": an id is a whole number from 0\n"
                                   "allowed: ",
                                   kInputNodesAllowed));
  }
  loader.input_nodes = *std::move(ids);
  return absl::OkStatus();
}

absl::Status ParseInputWeight(const std::string& text, SampleRequest* request) {
  if (text.empty()) return absl::OkStatus();
  if (text[0] != '@' || text.size() == 1) {
    return UsageError(absl::StrCat("--input-weight \"", text,
                                   "\"\nallowed: @FILE.npy, a weight for each "
                                   "input"));
  }
  if (request->loader.shuffle != ShuffleMode::kGlobal) {
    return UsageError("--input-weight with --shuffle none\nallowed: global");
  }
  request->input_weight_file = text.substr(1);
  return absl::OkStatus();
}

}  // namespace tributary
