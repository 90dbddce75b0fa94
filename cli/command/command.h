// A subcommand of `tributary`, and how its errors reach the terminal.
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

// main() makes one of each command, lets all declare themselves, and runs the
// one that the command line names.
class Command {
 public:
  virtual ~Command() = default;
  // Adds one subcommand to `root` and returns it: its description, its options
  // (whose values go into members of this object) and, as footer, examples.
  virtual CLI::App* Declare(CLI::App& root) = 0;
  // After parsing. Results go to stdout, nothing else does. Signals end the
  // process unless the command takes them.
  virtual absl::Status Run(SignalWatcher& signals) = 0;
};

inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

// INVALID_ARGUMENT that ends the program with kExitUsage: the command line is
// wrong, whatever the files and servers it names are like. At most three
// lines: what is wrong, where, what is allowed.
absl::Status UsageError(absl::string_view message);

// 0 when OK.
int ExitCodeOf(const absl::Status& status);

// What goes to stderr: "PROGRAM: message", with the code's name but for usage
// errors, by TerminalError.
std::string ErrorText(absl::string_view program, const absl::Status& status);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_COMMAND_H_
