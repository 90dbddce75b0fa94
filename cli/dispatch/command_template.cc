#include "cli/dispatch/command_template.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/dispatch/shell_word.h"

namespace tributary {
absl::StatusOr<CommandTemplate> CommandTemplate::Parse(
    absl::string_view flag, absl::string_view text,
    const std::vector<std::string>& places) {
  CommandTemplate result;
  const absl::Status wrong = absl::InvalidArgumentError(
      absl::StrCat(flag, " ", text, "\nallowed: a command with {",
                   absl::StrJoin(places, "}, {"), "}; {{ for a brace"));
  for (size_t at = 0; at < text.size();) {
    const size_t brace = std::min(text.find('{', at), text.size());
    if (brace > at) {
      result.pieces_.push_back({std::string(text.substr(at, brace - at))});
    }
    at = brace;
    if (at == text.size()) break;
    if (text.substr(at, 2) == "{{") {
      result.pieces_.push_back({"{"});
      at += 2;
      continue;
    }
    const size_t end = text.find('}', at);
    if (end == absl::string_view::npos) return wrong;
    std::string name(text.substr(at + 1, end - at - 1));
    if (std::find(places.begin(), places.end(), name) == places.end()) {
      return wrong;
    }
    result.pieces_.push_back({std::move(name), true});
    at = end + 1;
  }
  return result;
}

bool CommandTemplate::Has(const std::string& place) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return piece.is_place && piece.text == place;
  });
}

std::string CommandTemplate::Fill(
    const std::map<std::string, std::string>& values) const {
  std::string command;
  for (const Piece& piece : pieces_) {
    command += piece.is_place ? ShellWord(values.at(piece.text)) : piece.text;
  }
  return command;
}

}  // namespace tributary
