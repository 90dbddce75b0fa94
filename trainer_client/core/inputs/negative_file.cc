#include "trainer_client/core/inputs/negative_file.h"

#include <algorithm>
#include <charconv>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "trainer_client/core/inputs/npy_matrix.h"

namespace tributary {
namespace {

constexpr char kAllowed[] =
    "\nallowed: a line of ids, ID,ID,..., for each link, as many in every "
    "line, or .npy of whole numbers, [links, ids]";

template <typename... Parts>
absl::Status Refuse(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts..., kAllowed));
}

// Appends the line's ids; returns their number.
absl::StatusOr<uint64_t> ReadIds(uint64_t number, absl::string_view line,
                                 std::vector<int64_t>* ids) {
  uint64_t count = 0;
  for (const char* at = line.data();; ++at) {
    const char* const end = line.data() + line.size();
    int64_t id = 0;
    const auto [next, error] = std::from_chars(at, end, id);
    if (error != std::errc() || (next != end && *next != ',')) {
      return Refuse("line ", number, ": \"",
                    absl::string_view(
                        at, static_cast<size_t>(std::find(at, end, ',') - at)),
                    "\" is not an id");
    }
    ids->push_back(id);
    ++count;
    at = next;
    if (at == end) return count;
  }
}

absl::StatusOr<NegativeList> Read(absl::string_view text) {
  text = absl::StripTrailingAsciiWhitespace(text);  // blank last lines
  NegativeList list;
  for (uint64_t line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    absl::string_view ids = text.substr(0, end);
    if (!ids.empty() && ids.back() == '\r') ids.remove_suffix(1);
    ASSIGN_OR_RETURN(const uint64_t columns,
                     ReadIds(line, ids, &list.destination));
    if (line == 1) list.each = columns;
    if (columns != list.each) {
      return Refuse("line ", line, ": ", columns, " ids; line 1 has ",
                    list.each);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (list.each == 0) return Refuse("the file is empty");
  return list;
}

absl::StatusOr<MatrixValues<int64_t>> IdsIn(absl::Span<const uint8_t> file) {
  ASSIGN_OR_RETURN(const NpyMatrix matrix, FindNpyMatrix(file));
  return WholeMatrix(matrix);
}

absl::StatusOr<NegativeList> ReadArray(absl::Span<const uint8_t> file) {
  const auto read = IdsIn(file);
  if (!read.ok()) {
    return absl::Status(read.status().code(),
                        absl::StrCat(read.status().message(), kAllowed));
  }
  const MatrixValues<int64_t>& ids = *read;
  NegativeList list{ids.columns(), {}};
  list.destination.reserve(ids.rows() * ids.columns());
  for (size_t row = 0; row < ids.rows(); ++row) {
    for (size_t column = 0; column < ids.columns(); ++column) {
      list.destination.push_back(ids.At(row, column));
    }
  }
  return list;
}

}  // namespace

absl::StatusOr<NegativeList> ReadNegativeFile(const std::string& path) {
  ASSIGN_OR_RETURN(const FileMapping file, FileMapping::Open(path));
  const absl::Span<const uint8_t> bytes = file.bytes();
  absl::StatusOr<NegativeList> list =
      IsNpyFile(bytes)
          ? ReadArray(bytes)
          : Read({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (list.ok()) return list;
  return absl::Status(list.status().code(),
                      absl::StrCat(path, ": ", list.status().message()));
}

}  // namespace tributary
