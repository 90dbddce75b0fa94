// A program of subcommands: its command line, errors and exit codes.
#ifndef TRIBUTARY_CLI_COMMAND_PROGRAM_H_
#define TRIBUTARY_CLI_COMMAND_PROGRAM_H_

#include <memory>
#include <string>
#include <vector>

#include "cli/command/command.h"

namespace tributary {

struct ProgramText {
  std::string name;
  std::string description;
};

// The body of main(): declares all commands, parses the command line and runs
// one. Returns the exit code, after the error, if any, has been printed.
int RunProgram(const ProgramText& text,
               const std::vector<std::unique_ptr<Command>>& commands, int argc,
               char** argv);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_COMMAND_PROGRAM_H_
