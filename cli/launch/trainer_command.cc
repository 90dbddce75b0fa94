#include "cli/launch/trainer_command.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/parse_number.h"

namespace tributary {
namespace {

constexpr int kMaxRanks = 1024;  // of a host, as tributary-train's --nproc

// What a shell would read as more than words.
bool EndsSimpleCommand(char c) {
  return absl::string_view(";|&<>#()\n").find(c) != absl::string_view::npos;
}

// Splits as a shell does, but for expansions: quotes join words and go.
struct Words {
  std::vector<std::string> words;
  bool is_simple = true;
};

Words SplitWords(absl::string_view text) {
  Words result;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (absl::ascii_isspace(static_cast<unsigned char>(c)) &&
               c != '\n') {
      if (in_word) result.words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      // A '#' inside a word begins no comment.
      if (EndsSimpleCommand(c) && (c != '#' || !in_word)) {
        result.is_simple = false;
      }
      word += c;
      in_word = true;
    }
  }
  if (in_word) result.words.push_back(word);
  return result;
}

// Returns whether `word` sets a variable of the command after it: NAME=VALUE.
bool IsAssignment(absl::string_view word) {
  const size_t equals = word.find('=');
  if (equals == absl::string_view::npos || equals == 0) return false;
  const absl::string_view name = word.substr(0, equals);
  if (absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
  });
}

bool IsTorchrun(const std::vector<std::string>& words, size_t program) {
  const absl::string_view path = words[program];
  const absl::string_view name = path.substr(path.rfind('/') + 1);
  if (name == "torchrun") return true;
  if (!absl::StartsWith(name, "python")) return false;
  for (size_t i = program + 1; i + 1 < words.size(); ++i) {
    if (words[i] == "-m") {
      return absl::StartsWith(words[i + 1], "torch.distributed.");
    }
    if (words[i].empty() || words[i][0] != '-') return false;  // a script
  }
  return false;
}

// Returns the value of a flag, "--x V" or "--x=V"; none if it is not there.
std::optional<std::string> FlagValue(const std::vector<std::string>& words,
                                     absl::string_view flag) {
  for (size_t i = 0; i < words.size(); ++i) {
    absl::string_view word = words[i];
    if (word == flag) return i + 1 < words.size() ? words[i + 1] : "";
    if (absl::ConsumePrefix(&word, flag) && absl::ConsumePrefix(&word, "=")) {
      return std::string(word);
    }
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<TrainerCommand> ReadTrainerCommand(absl::string_view text) {
  TrainerCommand command;
  command.text = std::string(absl::StripAsciiWhitespace(text));
  const Words split = SplitWords(command.text);
  command.is_simple = split.is_simple;
  const auto first =
      std::find_if_not(split.words.begin(), split.words.end(), IsAssignment);
  if (first == split.words.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "COMMAND \"", text, "\" has no program; allowed: a line for /bin/sh"));
  }
  const bool plain = std::none_of(first->begin(), first->end(), [](char c) {
    return EndsSimpleCommand(c) || c == '$' || c == '`' || c == '{';
  });
  if (plain) command.program = *first;
  if (IsTorchrun(split.words, first - split.words.begin())) {
    command.kind = TrainerCommand::Kind::kTorchrun;
    return command;
  }
  const auto nproc = FlagValue(split.words, "--nproc");
  if (!nproc.has_value()) return command;
  const auto ranks = ParseNumber<uint32_t>(*nproc);
  if (!ranks.has_value() || *ranks < 1 || *ranks > kMaxRanks) {
    return absl::InvalidArgumentError(
        absl::StrCat("COMMAND has --nproc \"", *nproc,
                     "\"; allowed: a number from 1 to ", kMaxRanks));
  }
  command.kind = TrainerCommand::Kind::kNproc;
  command.nproc = static_cast<int>(*ranks);
  command.has_nnodes = FlagValue(split.words, "--nnodes").has_value();
  return command;
}

}  // namespace tributary
