// The command `tributary copy-files`.
#ifndef TRIBUTARY_CLI_DISPATCH_COPY_FILES_COMMAND_H_
#define TRIBUTARY_CLI_DISPATCH_COPY_FILES_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

// `dispatch` with the flags of DGL's copy_files.py.
std::unique_ptr<Command> MakeCopyFilesCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_COPY_FILES_COMMAND_H_
