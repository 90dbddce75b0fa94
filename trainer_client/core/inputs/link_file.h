// Reads lists of links from files.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_LINK_FILE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_LINK_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "trainer_client/core/kinds/link_options.h"

namespace tributary {

// Reads the sources, destinations and labels of `links` from a file with a link
// a line: "source,destination", or "source,destination,label" in every line.
// Labels are int64 when all are whole, else all float32. Or from a .npy file
// (link_array.h). Errors name file and line: NOT_FOUND; INVALID_ARGUMENT for
// another number of columns, for what is no number, for an empty file; `links`
// is then as it was.
absl::Status ReadLinkFile(const std::string& path, EdgeTypeLinks* links);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_INPUTS_LINK_FILE_H_
