#include "partition/pipeline/mpi/line_share.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/pipeline/mpi/edge_reader.h"
#include "partition/source/read_exactly.h"

namespace tributary {
namespace {

constexpr size_t kBlock = size_t{1} << 20;

}  // namespace

absl::StatusOr<LineShare> LineShare::Open(std::vector<std::string> paths,
                                          int rank, int ranks) {
  LineShare share;
  uint64_t total = 0;
  for (std::string& path : paths) {
    size_t size = 0;
    ASSIGN_OR_RETURN(const int fd, OpenRegularFile(path, &size));
    const UniqueFd closes(fd);
    share.ranges_.push_back({std::move(path), 0, 0, size});
    total += size;
  }
  const auto bytes = static_cast<int64_t>(total);
  const auto begin = static_cast<uint64_t>(ShareBegin(bytes, rank, ranks));
  const auto end = static_cast<uint64_t>(ShareBegin(bytes, rank + 1, ranks));
  uint64_t before = 0;
  for (Range& range : share.ranges_) {
    range.begin = std::clamp(begin, before, before + range.size) - before;
    range.end = std::clamp(end, before, before + range.size) - before;
    before += range.size;
  }
  return share;
}

absl::Status LineShare::OpenRange() {
  const Range& range = ranges_[range_];
  ASSIGN_OR_RETURN(fd_, OpenForReading(range.path));
  buffer_.clear();
  at_ = 0;
  // A line that begins here follows the end of another.
  buffer_begin_ = range.begin == 0 ? 0 : range.begin - 1;
  if (range.begin == 0) return absl::OkStatus();
  return NextOfFile().status();
}

absl::StatusOr<bool> LineShare::FillBuffer() {
  const Range& range = ranges_[range_];
  buffer_.erase(0, at_);
  buffer_begin_ += at_;
  at_ = 0;
  const uint64_t read_to = buffer_begin_ + buffer_.size();
  const size_t count = std::min<uint64_t>(kBlock, range.size - read_to);
  if (count == 0) return false;
  const size_t kept = buffer_.size();
  buffer_.resize(kept + count);
  RETURN_IF_ERROR(ReadExactly(fd_.get(), range.path, read_to,
                              reinterpret_cast<uint8_t*>(buffer_.data()) + kept,
                              count));
  return true;
}

absl::StatusOr<std::optional<absl::string_view>> LineShare::NextOfFile() {
  size_t searched = at_;
  while (true) {
    const size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      const absl::string_view line(&buffer_[at_], end - at_);
      line_begin_ = buffer_begin_ + at_;
      at_ = end + 1;
      return line;
    }
    const size_t left = buffer_.size() - at_;
    if (left > kBlock) {
      line_begin_ = buffer_begin_ + at_;
      return absl::InvalidArgumentError(
          absl::StrCat(Where(), " has more than ", kBlock, " bytes"));
    }
    ASSIGN_OR_RETURN(const bool more, FillBuffer());
    searched = left;
    if (more) continue;
    line_begin_ = buffer_begin_;
    at_ = buffer_.size();
    if (left == 0) return std::nullopt;
    return absl::string_view(buffer_.data(), left);  // without an end
  }
}

absl::StatusOr<std::optional<absl::string_view>> LineShare::Next() {
  while (range_ < ranges_.size()) {
    const Range& range = ranges_[range_];
    if (range.begin == range.end) {
      ++range_;
      continue;
    }
    if (fd_.get() < 0) RETURN_IF_ERROR(OpenRange());
    while (buffer_begin_ + at_ < range.end) {
      ASSIGN_OR_RETURN(const auto line, NextOfFile());
      if (!line.has_value()) break;
      const absl::string_view text = absl::StripAsciiWhitespace(*line);
      if (!text.empty()) return text;
    }
    fd_ = UniqueFd();
    ++range_;
  }
  return std::nullopt;
}

std::string LineShare::Where() const {
  if (range_ >= ranges_.size()) return "the end";
  const std::string& path = ranges_[range_].path;
  int64_t line = 1;
  std::vector<uint8_t> block(kBlock);
  for (uint64_t at = 0; at < line_begin_;) {
    const size_t count = std::min<uint64_t>(kBlock, line_begin_ - at);
    if (!ReadExactly(fd_.get(), path, at, block.data(), count).ok()) break;
    line += std::count(block.begin(), block.begin() + count, '\n');
    at += count;
  }
  return absl::StrCat(path, ", line ", line);
}

}  // namespace tributary
