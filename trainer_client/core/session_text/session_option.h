// One option of a session: its name, its help, and how its text is read and
// written.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_OPTION_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_OPTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/text/number_text.h"
#include "common/text/parse_number.h"
#include "trainer_client/core/session_text/session_draft.h"

namespace tributary {

// The form of an option's value in JSON, beside its text as on a command line.
enum class OptionForm {
  kFlag,    // true or false
  kNumber,  // a number
  kText,    // a text, or a list of texts and numbers
  kByType,  // as kText, or an object with such a value for each edge type
};

// The words of an option that users read.
struct OptionWords {
  std::string name;     // "batch_size", which is --batch-size as a flag
  std::string metavar;  // "B"; empty for kFlag
  std::string help;
  // The kinds of sampling that have the option; empty: all.
  std::vector<absl::string_view> kinds;
};

// An option. Its text is what a user writes behind the flag; a kFlag's is
// "true" or "false".
struct SessionOption {
  OptionWords words;
  OptionForm form = OptionForm::kText;
  char separator = ',';  // between the elements of a list
  // Reads a text. INVALID_ARGUMENT as RefuseOption().
  std::function<absl::Status(absl::string_view text, SessionDraft& draft)> read;
  // Returns the text that reads as the draft's value; empty for one that has
  // no text, such as an option that is required.
  std::function<std::string(const SessionDraft& draft)> write;
  char type_end = ':';  // of kByType: between an edge type and its text

  // Returns the text of the value that it has when nobody gives it.
  std::string Default() const { return write(SessionDraft()); }
  bool BelongsTo(absl::string_view kind) const;
};

// Returns the name as a flag: "--batch-size".
std::string FlagOf(absl::string_view name);

// INVALID_ARGUMENT: "--batch-size "0"\nallowed: a whole number from 1 ...".
absl::Status RefuseOption(absl::string_view name, absl::string_view text,
                          absl::string_view allowed);

// The functions below make options of one form. `field` returns the member of
// a draft, const or not, that holds the value:
//
//   WholeOption({"batch_size", "B", "Inputs of a batch"}, 1, kMaxBatchSize,
//               [](auto& draft) -> auto& { return draft.common.batch_size; })

// A bool.
template <typename Field>
SessionOption FlagOption(OptionWords words, Field field) {
  const std::string name = words.name;
  return {std::move(words), OptionForm::kFlag, ',',
          [name, field](absl::string_view text, SessionDraft& draft) {
            if (text != "true" && text != "false") {
              return RefuseOption(name, text, "true, false");
            }
            field(draft) = text == "true";
            return absl::OkStatus();
          },
          [field](const SessionDraft& draft) {
            return std::string(field(draft) ? "true" : "false");
          }};
}

// A whole number in [min, max]. `required`: 0 means that nobody gave it.
template <typename Field>
SessionOption WholeOption(OptionWords words, uint64_t min, uint64_t max,
                          Field field, bool required = false) {
  const std::string name = words.name;
  return {std::move(words), OptionForm::kNumber, ',',
          [name, min, max, field](absl::string_view text, SessionDraft& draft) {
            const auto value = ParseNumber<uint64_t>(text);
            if (!value || *value < min || *value > max) {
              return RefuseOption(
                  name, text,
                  absl::StrCat("a whole number from ", min, " to ", max));
            }
            field(draft) =
                static_cast<std::decay_t<decltype(field(draft))>>(*value);
            return absl::OkStatus();
          },
          [field, required](const SessionDraft& draft) {
            return required && field(draft) == 0 ? std::string()
                                                 : absl::StrCat(field(draft));
          }};
}

// A number in [min, max].
template <typename Field>
SessionOption RealOption(OptionWords words, double min, double max,
                         Field field) {
  const std::string name = words.name;
  return {
      std::move(words), OptionForm::kNumber, ',',
      [name, min, max, field](absl::string_view text, SessionDraft& draft) {
        const auto value = ParseNumber<double>(text);
        if (!value || !(*value >= min && *value <= max)) {
          return RefuseOption(name, text, absl::StrCat(min, " to ", max));
        }
        field(draft) = *value;
        return absl::OkStatus();
      },
      [field](const SessionDraft& draft) { return NumberText(field(draft)); }};
}

// An enumerator, or a bool: the names of 0, 1, ...
template <typename Field>
SessionOption ChoiceOption(OptionWords words, std::vector<std::string> names,
                           Field field) {
  const std::string name = words.name;
  return {std::move(words), OptionForm::kText, ',',
          [name, names, field](absl::string_view text, SessionDraft& draft) {
            for (size_t i = 0; i < names.size(); ++i) {
              if (names[i] != text) continue;
              field(draft) =
                  static_cast<std::decay_t<decltype(field(draft))>>(i);
              return absl::OkStatus();
            }
            return RefuseOption(name, text, absl::StrJoin(names, ", "));
          },
          [names, field](const SessionDraft& draft) {
            return names[static_cast<size_t>(field(draft))];
          }};
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_TEXT_SESSION_OPTION_H_
