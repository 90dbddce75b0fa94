#include "partition/pipeline/line_reader.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr size_t kBuffer = size_t{256} << 10;
constexpr size_t kMaxLine = size_t{64} << 20;

gzFile AsGz(void* file) { return static_cast<gzFile>(file); }

}  // namespace

absl::StatusOr<LineReader> LineReader::Open(const std::string& path) {
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rbe");
  if (file == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  }
  gzbuffer(file, kBuffer);
  return LineReader(path, file);
}

LineReader::LineReader(std::string path, void* file)
    : path_(std::move(path)), file_(file), buffer_(kBuffer, '\0') {}

LineReader::LineReader(LineReader&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, nullptr)),
      buffer_(std::move(other.buffer_)),
      begin_(other.begin_),
      end_(other.end_),
      at_end_(other.at_end_),
      line_number_(other.line_number_),
      status_(std::move(other.status_)) {}

LineReader::~LineReader() {
  if (file_ != nullptr) gzclose(AsGz(file_));
}

bool LineReader::Next(absl::string_view* line) {
  size_t searched = begin_;
  while (true) {
    const char* data = buffer_.data();
    const void* newline = std::memchr(data + searched, '\n', end_ - searched);
    size_t stop = end_;
    if (newline != nullptr) {
      stop = static_cast<const char*>(newline) - data;
    } else if (!at_end_) {
      const size_t unreturned = end_ - begin_;
      if (!Fill()) return false;
      searched = begin_ + unreturned;
      continue;
    } else if (begin_ == end_) {
      return false;
    }
    *line = absl::string_view(data + begin_, stop - begin_);
    if (!line->empty() && line->back() == '\r') line->remove_suffix(1);
    begin_ = newline != nullptr ? stop + 1 : stop;
    ++line_number_;
    return true;
  }
}

// Makes room by moving what is left to the front, and reads on.
bool LineReader::Fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) {
    if (end_ >= kMaxLine) {
      ++line_number_;
      status_ = ErrorHere(
          absl::StrCat("the line is longer than ", kMaxLine, " bytes"));
      return false;
    }
    buffer_.resize(2 * end_);
  }
  const int n = gzread(AsGz(file_), buffer_.data() + end_,
                       static_cast<unsigned>(buffer_.size() - end_));
  int code = Z_OK;
  const char* message = gzerror(AsGz(file_), &code);
  if (n < 0 || (code != Z_OK && code != Z_STREAM_END)) {
    status_ = absl::DataLossError(
        absl::StrCat(path_, ": damaged or cut off after line ", line_number_,
                     " (", message, ")"));
    return false;
  }
  at_end_ = n == 0;
  end_ += static_cast<size_t>(n);
  return true;
}

absl::Status LineReader::ErrorHere(absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(path_, " line ", line_number_, ": ", what));
}

}  // namespace tributary
