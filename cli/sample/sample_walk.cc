#include "cli/sample/sample_walk.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::StatusOr<std::vector<std::string>> ParseMetapath(absl::string_view text) {
  std::vector<std::string> types;
  if (text.empty()) return types;
  for (absl::string_view type : absl::StrSplit(text, ';')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(type, ',');
    if (parts.size() != 3 || parts[0].empty() || parts[1].empty() ||
        parts[2].empty()) {
      return UsageError(absl::StrCat(
          "--metapath \"", text, "\": \"", type,
          "\" is not an edge type\nallowed: src,rel,dst;src,rel,dst;..."));
    }
    types.emplace_back(type);
  }
  return types;
}

}  // namespace

absl::StatusOr<WalkOptions> ParseWalk(const SampleArguments& arguments) {
  WalkOptions walk;
  if (arguments.walk_length.empty()) {
    return UsageError(absl::StrCat(
        "--walk-length is required with --kind walk\nallowed: 1 to ",
        kMaxWalkLength));
  }
  ASSIGN_OR_RETURN(
      walk.walk_length,
      ParseWhole("--walk-length", arguments.walk_length, 1, kMaxWalkLength));
  ASSIGN_OR_RETURN(walk.walks_per_node,
                   ParseWhole("--walks-per-node", arguments.walks_per_node, 1,
                              kMaxWalksPerNode));
  ASSIGN_OR_RETURN(walk.metapath, ParseMetapath(arguments.metapath));
  ASSIGN_OR_RETURN(walk.restart_prob,
                   ParseReal("--restart-prob", arguments.restart_prob, 0, 1));
  walk.restart_ends = arguments.restart_ends;
  if (walk.restart_ends && walk.restart_prob == 0) {
    return UsageError(
        "--restart-ends without restarts\nallowed: with --restart-prob above "
        "0");
  }
  ASSIGN_OR_RETURN(
      walk.p, ParseReal("--p", arguments.p, 1 / kMaxWalkBias, kMaxWalkBias));
  ASSIGN_OR_RETURN(
      walk.q, ParseReal("--q", arguments.q, 1 / kMaxWalkBias, kMaxWalkBias));
  return walk;
}

}  // namespace tributary
