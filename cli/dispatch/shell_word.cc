#include "cli/dispatch/shell_word.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cli/dispatch/host_list.h"

namespace tributary {

std::string ShellWord(const std::string& word) {
  // A '~' would be a home folder, a '[' a pattern of file names; that a word
  // begins with '-' is nothing to a shell.
  const bool plain = !word.empty() && IsPlainWord(absl::StrCat(".", word)) &&
                     word.find_first_of("[~") == std::string::npos;
  if (plain) return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

}  // namespace tributary
