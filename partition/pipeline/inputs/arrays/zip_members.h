// Lists the members of a zip archive that are stored without compression.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_ZIP_MEMBERS_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_ZIP_MEMBERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tributary {

// A member of an archive, whose bytes are in the archive as they are.
struct ZipMember {
  std::string name;
  uint64_t offset = 0;  // of its first byte in the archive
  uint64_t bytes = 0;
};

// Returns the members in the order of the archive's directory (APPNOTE.TXT 6.3,
// with zip64). Their bytes can so be read in place, which no library offers.
// DATA_LOSS, naming the file, if it is no zip archive, or damaged;
// INVALID_ARGUMENT for a member that is compressed or encrypted, for a name
// that is there twice, and for more than 65536 members; the system's errors.
absl::StatusOr<std::vector<ZipMember>> ListZipMembers(const std::string& path);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_ARRAYS_ZIP_MEMBERS_H_
