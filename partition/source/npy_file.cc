#include "partition/source/npy_file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

// Longer than any header that NumPy writes for the types read here.
constexpr size_t kHeaderBytes = size_t{64} << 10;

absl::StatusOr<uint64_t> SizeOf(const std::string& path) {
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  if (!error) return bytes;
  errno = error.value();
  return PathError(path, "stat");
}

// Reads a header of a type that `parse` returns.
template <typename Header>
absl::StatusOr<Header> ReadHeader(
    const std::string& path, uint64_t offset, uint64_t bytes,
    absl::StatusOr<Header> (*parse)(absl::Span<const uint8_t>)) {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenForReading(path));
  std::vector<uint8_t> begin(std::min<uint64_t>(bytes, kHeaderBytes));
  RETURN_IF_ERROR(
      ReadExactly(fd.get(), path, offset, begin.data(), begin.size()));
  absl::StatusOr<Header> header = parse(begin);
  if (!header.ok()) {
    return absl::Status(header.status().code(),
                        absl::StrCat(path, ": ", header.status().message()));
  }
  if (bytes - header->data_offset < header->data_bytes()) {
    return absl::DataLossError(absl::StrCat(
        path, " has ", bytes - header->data_offset, " bytes of elements; its ",
        "header says ", header->data_bytes()));
  }
  header->data_offset += offset;
  return header;
}

}  // namespace

absl::StatusOr<NpyHeader> ReadNpyFileHeader(const std::string& path) {
  ASSIGN_OR_RETURN(const uint64_t bytes, SizeOf(path));
  return ReadHeader(path, 0, bytes, ParseNpyHeader);
}

absl::StatusOr<UserNpyHeader> ReadUserNpyFileHeader(const std::string& path) {
  ASSIGN_OR_RETURN(const uint64_t bytes, SizeOf(path));
  return ReadHeader(path, 0, bytes, ParseUserNpyHeader);
}

absl::StatusOr<UserNpyHeader> ReadUserNpyHeaderAt(const std::string& path,
                                                  uint64_t offset,
                                                  uint64_t bytes) {
  return ReadHeader(path, offset, bytes, ParseUserNpyHeader);
}

}  // namespace tributary
