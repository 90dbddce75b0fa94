// The troubles that servers tell of, and what to do about each.
#ifndef TRIBUTARY_COMMON_STATUS_TROUBLE_ADVICE_H_
#define TRIBUTARY_COMMON_STATUS_TROUBLE_ADVICE_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tributary {

enum class Severity {
  kError,    // batches fail, or a run stops
  kWarning,  // batches are slowed, callers are refused, or the next failure
             // stops a run
  kNote,     // planned, or no more than worth knowing
};

// Returns "error", "warning" or "note".
absl::string_view SeverityName(Severity severity);

struct TroubleKind {
  absl::string_view code;  // v1::Trouble.code
  Severity severity = Severity::kWarning;
  // The remedy, in full sentences that name the options and pages.
  absl::string_view advice;
};

// Returns all kinds, the worst first: the order in which they are shown.
// docs/status.md has the same ones.
absl::Span<const TroubleKind> AllTroubles();

// Returns the kind of a code; a code of another release gives a warning whose
// advice says so.
const TroubleKind& TroubleOf(absl::string_view code);
// Returns the place of the code in AllTroubles(), beyond its end if unknown.
size_t TroubleRank(absl::string_view code);

// Codes that several places make.
inline constexpr absl::string_view kNoOwner = "no_owner";
inline constexpr absl::string_view kServerSilent = "server_silent";
inline constexpr absl::string_view kNoStatus = "no_status";
inline constexpr absl::string_view kDraining = "draining";

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_TROUBLE_ADVICE_H_
