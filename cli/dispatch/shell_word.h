// Quotes words for a shell.
#ifndef TRIBUTARY_CLI_DISPATCH_SHELL_WORD_H_
#define TRIBUTARY_CLI_DISPATCH_SHELL_WORD_H_

#include <string>

namespace tributary {

// Returns `word` as /bin/sh reads it back: plain words (IsPlainWord) as they
// are, others in single quotes.
std::string ShellWord(const std::string& word);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_SHELL_WORD_H_
