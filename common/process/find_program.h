// Finds a program that belongs to the running one.
#ifndef TRIBUTARY_COMMON_PROCESS_FIND_PROGRAM_H_
#define TRIBUTARY_COMMON_PROCESS_FIND_PROGRAM_H_

#include <optional>
#include <string>

namespace tributary {

// Returns the path of the executable file `name` beside the running program,
// otherwise in a folder of PATH.
std::optional<std::string> FindProgram(const std::string& name);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_FIND_PROGRAM_H_
