// The options of random walks.
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

absl::Status ReadMetapath(absl::string_view text, SessionDraft& draft) {
  for (const absl::string_view type : absl::StrSplit(text, ';')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(type, ',');
    if (parts.size() != 3 || parts[0].empty() || parts[1].empty() ||
        parts[2].empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--metapath \"", text, "\": \"", type,
          "\" is not an edge type\nallowed: src,rel,dst;src,rel,dst;..."));
    }
    draft.walk.metapath.emplace_back(type);
  }
  return absl::OkStatus();
}

SessionOption Metapath() {
  return {{"metapath",
           "TYPES",
           "Edge types of the steps, repeated: a,r,b;c,s,a. A step goes from "
           "the destination of an edge to its source",
           {"walk"}},
          OptionForm::kText,
          ';',
          ReadMetapath,
          [](const SessionDraft& draft) {
            return absl::StrJoin(draft.walk.metapath, ";");
          }};
}

void AddWalkOptions(std::vector<SessionOption>& table) {
  table.push_back(WholeOption(
      {"walk_length", "L", "Steps of a walk", {"walk"}}, 1, kMaxWalkLength,
      [](auto& draft) -> auto& { return draft.walk.walk_length; },
      /*required=*/true));
  table.push_back(WholeOption(
      {"walks_per_node", "N", "Walks from each input", {"walk"}}, 1,
      kMaxWalksPerNode,
      [](auto& draft) -> auto& { return draft.walk.walks_per_node; }));
  table.push_back(Metapath());
  table.push_back(RealOption(
      {"restart_prob",
       "P",
       "Probability that a step returns to the start",
       {"walk"}},
      0, 1, [](auto& draft) -> auto& { return draft.walk.restart_prob; }));
  table.push_back(FlagOption(
      {"restart_ends", "", "A restart ends the walk instead", {"walk"}},
      [](auto& draft) -> auto& { return draft.walk.restart_ends; }));
  table.push_back(RealOption(
      {"p", "P", "node2vec's return parameter", {"walk"}}, 1 / kMaxWalkBias,
      kMaxWalkBias, [](auto& draft) -> auto& { return draft.walk.p; }));
  table.push_back(RealOption(
      {"q", "Q", "node2vec's in-out parameter", {"walk"}}, 1 / kMaxWalkBias,
      kMaxWalkBias, [](auto& draft) -> auto& { return draft.walk.q; }));
}

absl::StatusOr<KindOptions> FinishWalk(const SessionText&,
                                       SessionDraft& draft) {
  if (draft.walk.walk_length == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--walk-length is required with --kind walk\nallowed: 1 to ",
        kMaxWalkLength));
  }
  if (draft.walk.restart_ends && draft.walk.restart_prob == 0) {
    return absl::InvalidArgumentError(
        "--restart-ends without restarts\nallowed: with --restart-prob above "
        "0");
  }
  return KindOptions(draft.walk);
}

absl::Status DescribeWalk(const KindOptions& options, SessionDraft& draft) {
  draft.walk = std::get<WalkOptions>(options);
  return absl::OkStatus();
}

}  // namespace

DescribedKind DescribedWalks() {
  return {"walk", AddWalkOptions, FinishWalk, DescribeWalk};
}

}  // namespace tributary
