#include "partition/source/npy_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

// Longer than any header that NumPy writes for the types read here.
constexpr size_t kHeaderBytes = size_t{64} << 10;

}  // namespace

absl::StatusOr<NpyHeader> ReadNpyFileHeader(const std::string& path) {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenForReading(path));
  struct stat info;
  if (fstat(fd.get(), &info) != 0) return PathError(path, "stat");
  const auto size = static_cast<uint64_t>(info.st_size);
  std::vector<uint8_t> bytes(std::min<uint64_t>(size, kHeaderBytes));
  RETURN_IF_ERROR(ReadExactly(fd.get(), path, 0, bytes.data(), bytes.size()));
  auto header = ParseNpyHeader(bytes);
  if (!header.ok()) {
    return absl::Status(header.status().code(),
                        absl::StrCat(path, ": ", header.status().message()));
  }
  if (size - header->data_offset >= header->data_bytes()) return header;
  return absl::DataLossError(absl::StrCat(
      path, " has ", size - header->data_offset, " bytes of elements; its ",
      "header says ", header->data_bytes()));
}

}  // namespace tributary
