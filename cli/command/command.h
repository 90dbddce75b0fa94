// The interface of the subcommands of `tributary`, and how errors are printed.
#ifndef TRIBUTARY_CLI_COMMAND_COMMAND_H_
#define TRIBUTARY_CLI_COMMAND_COMMAND_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace CLI {
class App;
}

namespace tributary {

class SignalWatcher;

// A subcommand. main() makes one of each, lets all declare their flags, and
// runs the one that the command line names; all on one thread.
class Command {
 public:
  virtual ~Command() = default;
  // Adds one subcommand to `root` and returns it: a description, flags (whose
  // values parsing writes into members of this object) and, as footer,
  // examples.
  virtual CLI::App* Declare(CLI::App& root) = 0;
  // Runs the command, after parsing. Only results may be printed on stdout.
  // Signals end the process unless the command handles them by `signals`.
  virtual absl::Status Run(SignalWatcher& signals) = 0;
};

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

// Returns an INVALID_ARGUMENT error that ends the program with kExitUsage, for
// a command line that is wrong whatever the files and servers that it names
// hold. `message` has at most three lines: what is wrong, where, what is
// allowed.
absl::Status UsageError(absl::string_view message);

// Returns the exit code of a program that ends with `status`; 0 if it is OK.
int ExitCodeOf(const absl::Status& status);

// Returns the text for stderr, made by TerminalError(): "PROGRAM: message",
// with the name of the status code except for usage errors.
std::string ErrorText(absl::string_view program, const absl::Status& status);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_COMMAND_H_
