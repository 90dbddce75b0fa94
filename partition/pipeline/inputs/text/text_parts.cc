#include "partition/pipeline/inputs/text/text_parts.h"

#include <unistd.h>

#include <algorithm>

#include "common/io/file_mapping.h"
#include "common/io/unique_fd.h"
#include "partition/pipeline/inputs/text/line_reader.h"

namespace tributary {
namespace {

constexpr uint64_t kLeastRatio = 2;
constexpr uint64_t kMostRatio = 1032;
// Header, code tables and checksum of a gzip file, which are no text.
constexpr uint64_t kGzipOverhead = 512;

bool IsGzip(int fd) {
  uint8_t magic[2] = {};
  return pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
         magic[0] == 0x1f && magic[1] == 0x8b;
}

// Returns the number of cells of the first line, 0 if there is none.
uint64_t FirstCells(const std::string& path, char delimiter) {
  auto in = LineReader::Open(path);
  absl::string_view line;
  if (!in.ok() || !in->Next(&line)) return 0;
  return static_cast<uint64_t>(
             std::count(line.begin(), line.end(), delimiter)) +
         1;
}

}  // namespace

TextSize MeasureText(const std::string& path) {
  size_t bytes = 0;
  const auto opened = OpenRegularFile(path, &bytes);
  if (!opened.ok()) return {};
  const UniqueFd fd(*opened);
  TextSize size{static_cast<int64_t>(bytes), bytes, bytes};
  if (IsGzip(fd.get())) {
    size.least_bytes =
        kLeastRatio * (bytes - std::min<uint64_t>(bytes, kGzipOverhead));
    size.most_bytes = kMostRatio * bytes;
  }
  return size;
}

std::vector<ParsedPart> TextParts(absl::Span<const std::string> paths,
                                  int64_t rows, size_t cell_bytes,
                                  char delimiter) {
  std::vector<ParsedPart> parts;
  uint64_t most_bytes = 0;
  for (const std::string& path : paths) {
    const TextSize size = MeasureText(path);
    most_bytes += size.most_bytes;
    parts.push_back({path, size.file_bytes, 0});
  }
  if (parts.empty()) return parts;
  const uint64_t cells = FirstCells(paths[0], delimiter);
  // A cell has a character and a delimiter at least.
  const uint64_t most_cells = most_bytes / 2 + parts.size();
  const uint64_t most_rows = cells == 0 ? 0 : most_cells / cells;
  const auto counted = static_cast<uint64_t>(std::max<int64_t>(rows, 0));
  parts[0].least_column_bytes =
      std::min(counted, most_rows) * cells * cell_bytes;
  return parts;
}

}  // namespace tributary
