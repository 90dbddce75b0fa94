// Names for columns in a spool.
#ifndef TRIBUTARY_PARTITION_SOURCE_SPOOL_NAME_H_
#define TRIBUTARY_PARTITION_SOURCE_SPOOL_NAME_H_

#include <string>

namespace tributary {

// Returns the name in a spool of what is parsed from the file `path` as `kind`:
// the file's name and a hash of its path, so that it has a bounded length and
// no slash.
std::string SpoolName(const std::string& path, const std::string& kind);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_SPOOL_NAME_H_
