#include "partition/pipeline/inputs/text/line_reader.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kBuffer = size_t{256} << 10;
constexpr size_t kMaxLine = size_t{64} << 20;

bool IsBlank(absl::string_view line) {
  return line.find_first_not_of(' ') == absl::string_view::npos;
}

}  // namespace

absl::StatusOr<LineReader> LineReader::Open(const std::string& path,
                                            InputProgress* progress,
                                            bool keep_blank_end) {
  ASSIGN_OR_RETURN(GzipInput input, GzipInput::Open(path));
  return LineReader(path, std::move(input), progress, keep_blank_end);
}

LineReader::LineReader(std::string path, GzipInput input,
                       InputProgress* progress, bool keep_blank_end)
    : path_(std::move(path)),
      input_(std::move(input)),
      progress_(progress),
      buffer_(kBuffer, '\0'),
      keep_blank_end_(keep_blank_end) {}

bool LineReader::Next(absl::string_view* line) {
  if (!has_next_) {
    if (!ReadLine(line)) return false;
    if (keep_blank_end_ || !IsBlank(*line)) {
      ++line_number_;
      return true;
    }
    // Lines, if another one follows.
    blanks_ = 1;
    while ((has_next_ = ReadLine(&next_)) && IsBlank(next_)) ++blanks_;
    if (!has_next_) return false;
  }
  ++line_number_;
  has_next_ = blanks_ > 0;
  // Not null, of which StrSplit makes no cell at all.
  *line = has_next_ ? absl::string_view("") : next_;
  blanks_ -= has_next_ ? 1 : 0;
  return true;
}

// Reads the next line, which is valid until the next call.
bool LineReader::ReadLine(absl::string_view* line) {
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
    return true;
  }
}

// Makes room by moving the rest to the front of the buffer, and reads more.
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
  const auto n =
      input_.Read(absl::MakeSpan(buffer_.data() + end_, buffer_.size() - end_));
  if (!n.ok()) {
    status_ = absl::Status(n.status().code(),
                           absl::StrCat(path_, ", after line ", line_number_,
                                        ": ", n.status().message()));
    return false;
  }
  at_end_ = *n == 0;
  end_ += *n;
  if (progress_ != nullptr) progress_->Advance(path_, input_.file_bytes());
  return true;
}

absl::Status LineReader::ErrorHere(absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(path_, " line ", line_number_, ": ", what));
}

}  // namespace tributary
