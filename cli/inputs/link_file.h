// Lists of links in text files.
#ifndef TRIBUTARY_CLI_INPUTS_LINK_FILE_H_
#define TRIBUTARY_CLI_INPUTS_LINK_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/session/link_columns.h"

namespace tributary {

// A link a line: "source,destination", or "source,destination,label" in every
// line. Labels are int64 when all are whole, else all float32. Errors name file
// and line: NOT_FOUND; INVALID_ARGUMENT for another number of columns, for what
// is no number, for an empty file.
absl::StatusOr<LinkColumns> ReadLinkFile(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_INPUTS_LINK_FILE_H_
