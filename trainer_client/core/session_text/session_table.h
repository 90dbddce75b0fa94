// The options of sessions of all kinds, each defined once: programs make their
// flags and their JSON of this table.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_TABLE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_TABLE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "trainer_client/core/session_text/session_option.h"
#include "trainer_client/core/session_text/session_text.h"

namespace tributary {

// How a kind of sampling is described. Adding a kind adds one of these to
// DescribedKinds(), and its options to the table.
struct DescribedKind {
  absl::string_view name;
  // The options that this kind has and those before it have not.
  void (*add_options)(std::vector<SessionOption>& table);
  // Makes the kind's options of a draft, all of whose texts were read, and
  // checks how they go together. May fill `files.links`. INVALID_ARGUMENT.
  absl::StatusOr<KindOptions> (*finish)(const SessionText& text,
                                        SessionDraft& draft);
  // Does the reverse, into `draft`. INVALID_ARGUMENT for options without text.
  absl::Status (*describe)(const KindOptions& options, SessionDraft& draft);
};

// In the order of the alternatives of KindOptions.
const std::vector<DescribedKind>& DescribedKinds();

// In the order of the programs' help. `kind` is the first.
const std::vector<SessionOption>& SessionTable();

// Returns the option, or null if there is none of the name.
const SessionOption* FindSessionOption(absl::string_view name);

// ---- Rows, each group in a file of its name. --------------------------------
void AddCommonOptions(std::vector<SessionOption>& table);
DescribedKind
DescribedNodes();  // with how neighbours are sampled, for `link` too
DescribedKind DescribedLinks();
DescribedKind DescribedWalks();
DescribedKind DescribedPpr();
DescribedKind DescribedLayers();

// The times of a list of inputs: "own", TIMES or @FILE.
struct InputTimes {
  InputTimeMode mode = InputTimeMode::kNone;
  std::vector<int64_t> times;  // with kGiven, unless there is
  std::string file;            // a file with them
};
// Reads a text of input_time, which may be empty. `timed`: whether the session
// compares times.
absl::StatusOr<InputTimes> ReadInputTimes(const std::string& text, bool timed);
// Returns the text for options that have such times; empty for none and own.
std::string InputTimesText(const std::vector<int64_t>& times);

// Returns the draft's options of neighbours, once they are known to go
// together. Their input_time is left empty.
absl::StatusOr<NeighborOptions> FinishNeighbors(const SessionText& text,
                                                const SessionDraft& draft,
                                                InputTimeMode mode);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_TABLE_H_
