// The options of the nodes of the largest personalised PageRank.
#include <variant>

#include "absl/strings/str_cat.h"
#include "trainer_client/core/session_text/session_table.h"

namespace tributary {
namespace {

void AddPprOptions(std::vector<SessionOption>& table) {
  table.push_back(WholeOption(
      {"top_k", "K", "Nodes for each input", {"ppr"}}, 1, kMaxPprTopK,
      [](auto& draft) -> auto& { return draft.ppr.top_k; },
      /*required=*/true));
  table.push_back(RealOption(
      {"alpha", "A", "Probability that a walk ends at a step", {"ppr"}},
      kMinPprAlpha, 1, [](auto& draft) -> auto& { return draft.ppr.alpha; }));
  table.push_back(RealOption(
      {"epsilon",
       "E",
       "A node is pushed while its residual exceeds this times its degree",
       {"ppr"}},
      0, 1, [](auto& draft) -> auto& { return draft.ppr.epsilon; }));
  table.push_back({{"edge_type",
                    "TYPE",
                    "src,rel,dst: the edge type to follow, in a typed graph",
                    {"ppr", "layerwise"}},
                   OptionForm::kText,
                   ',',
                   [](absl::string_view text, SessionDraft& draft) {
                     draft.edge_type = std::string(text);
                     return absl::OkStatus();
                   },
                   [](const SessionDraft& draft) { return draft.edge_type; }});
}

absl::StatusOr<KindOptions> FinishPpr(const SessionText&, SessionDraft& draft) {
  PprOptions& ppr = draft.ppr;
  if (ppr.top_k == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--top-k is required with --kind ppr\nallowed: 1 to ", kMaxPprTopK));
  }
  // One input's pushes are bounded by the product.
  const double least = kMinPprAlphaEpsilon / ppr.alpha;
  if (ppr.epsilon < least) {
    return RefuseOption("epsilon", NumberText(ppr.epsilon),
                        absl::StrCat(least, " to 1"));
  }
  ppr.edge_type = draft.edge_type;
  return KindOptions(ppr);
}

absl::Status DescribePpr(const KindOptions& options, SessionDraft& draft) {
  draft.ppr = std::get<PprOptions>(options);
  draft.edge_type = draft.ppr.edge_type;
  return absl::OkStatus();
}

}  // namespace

DescribedKind DescribedPpr() {
  return {"ppr", AddPprOptions, FinishPpr, DescribePpr};
}

}  // namespace tributary
