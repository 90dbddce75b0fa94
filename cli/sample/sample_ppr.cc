#include "cli/sample/sample_ppr.h"

#include "absl/strings/str_cat.h"
#include "cli/command/arguments.h"
#include "cli/command/command.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<PprOptions> ParsePpr(const SampleArguments& arguments) {
  PprOptions ppr;
  if (arguments.top_k.empty()) {
    return UsageError(absl::StrCat(
        "--top-k is required with --kind ppr\nallowed: 1 to ", kMaxPprTopK));
  }
  ASSIGN_OR_RETURN(ppr.top_k,
                   ParseWhole("--top-k", arguments.top_k, 1, kMaxPprTopK));
  ASSIGN_OR_RETURN(ppr.alpha,
                   ParseReal("--alpha", arguments.alpha, kMinPprAlpha, 1));
  ASSIGN_OR_RETURN(ppr.epsilon, ParseReal("--epsilon", arguments.epsilon,
                                          kMinPprAlphaEpsilon / ppr.alpha, 1));
  ppr.edge_type = arguments.edge_type;
  return ppr;
}

}  // namespace tributary
