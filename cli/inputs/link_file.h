// Reads lists of links from text files.
#ifndef TRIBUTARY_CLI_INPUTS_LINK_FILE_H_
#define TRIBUTARY_CLI_INPUTS_LINK_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/session/link_columns.h"

namespace tributary {

// Reads one link per line: "source,destination" in every line, or
// "source,destination,label" in every line. Labels are int64 if all are whole
// numbers, else all are float32. Errors name file and line: NOT_FOUND;
// INVALID_ARGUMENT for another number of columns, a cell that is not a number,
// or an empty file.
absl::StatusOr<LinkColumns> ReadLinkFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_INPUTS_LINK_FILE_H_
