#include "cli/k8s/prometheus_query.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// Reads a query word by word; what it has not reached yet is `rest`.
struct Scanner {
  absl::string_view rest;

  // Takes a name, or a text in quotes, or one character.
  absl::string_view Next() {
    size_t size = 1;
    if (IsQuote(rest.front())) {
      size = QuotedSize();
    } else if (IsName(rest.front())) {
      while (size < rest.size() && IsName(rest[size])) ++size;
    }
    const absl::string_view word = rest.substr(0, size);
    rest.remove_prefix(size);
    return word;
  }

  static bool IsQuote(char c) { return c == '"' || c == '\'' || c == '`'; }
  static bool IsName(char c) { return absl::ascii_isalnum(c) || c == '_'; }

  // Returns the size of the text in quotes at the front, to the end if it is
  // left open.
  size_t QuotedSize() const {
    const char quote = rest.front();
    for (size_t i = 1; i < rest.size(); ++i) {
      if (rest[i] == '\\' && quote != '`') {
        ++i;
      } else if (rest[i] == quote) {
        return i + 1;
      }
    }
    return rest.size();
  }
};

bool IsClosed(absl::string_view quoted) {
  return quoted.size() > 1 && quoted.front() == quoted.back();
}

}  // namespace

absl::StatusOr<std::string> SetMatchers(absl::string_view query,
                                        absl::string_view label,
                                        absl::string_view value) {
  std::string out;
  int found = 0;
  bool in_selector = false;
  // The last words that are no blanks: LABEL and then =.
  absl::string_view name, sign;
  Scanner scanner{query};
  while (!scanner.rest.empty()) {
    const absl::string_view word = scanner.Next();
    const bool is_quoted = Scanner::IsQuote(word.front());
    if (is_quoted && !IsClosed(word)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a quote is left open: ", word));
    }
    if (is_quoted && in_selector && name == label && sign == "=") {
      absl::StrAppend(&out, "\"", value, "\"");
      ++found;
    } else {
      absl::StrAppend(&out, word);
    }
    if (word == "{" || word == "}") in_selector = word == "{";
    if (!absl::ascii_isspace(word.front())) {
      name = sign;
      sign = word;
    }
  }
  if (found > 0) return out;
  return absl::InvalidArgumentError(
      absl::StrCat("no selector has a matcher ", label, "=\"...\""));
}

}  // namespace tributary
