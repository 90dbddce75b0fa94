#include "partition/pipeline/inputs/tables/id_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kLengthBytes = 2;
constexpr int64_t kBlockBytes = int64_t{256} << 10;

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

std::optional<int64_t> ParseNumberId(absl::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  // "-0" and "00" are other texts than "0".
  const bool negative = text[0] == '-';
  const char first = text[negative ? 1 : 0];
  if (first == '0' && (negative || text.size() > 1)) return std::nullopt;
  return value;
}

absl::Status CheckIdText(absl::string_view text) {
  if (!text.empty() && text.size() <= kMaxIdBytes &&
      absl::c_none_of(text, IsControl)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      text.empty() ? "an empty cell"
                   : absl::StrCat("\"", absl::CHexEscape(text.substr(0, 40)),
                                  "\" of ", text.size(), " bytes"),
      "; allowed: an id of 1 to ", kMaxIdBytes,
      " bytes without control characters"));
}

absl::Status AppendIdText(absl::string_view text, SpoolWriter& writer) {
  const auto size = static_cast<uint16_t>(text.size());
  uint8_t record[kLengthBytes + kMaxIdBytes];
  record[0] = static_cast<uint8_t>(size);
  record[1] = static_cast<uint8_t>(size >> 8);
  std::memcpy(record + kLengthBytes, text.data(), size);
  return writer.Append({record, kLengthBytes + size});
}

bool IdTextReader::Fill(size_t wanted) {
  if (buffer_.size() - begin_ >= wanted) return true;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<long>(begin_));
  begin_ = 0;
  const auto row_bytes = static_cast<int64_t>(column_.schema().row_bytes());
  const int64_t rows =
      std::min(kBlockBytes / row_bytes, column_.num_rows() - next_row_);
  const size_t old = buffer_.size();
  buffer_.resize(old + static_cast<size_t>(rows * row_bytes));
  status_ = column_.Read(next_row_, rows, buffer_.data() + old);
  if (!status_.ok()) return false;
  next_row_ += rows;
  if (buffer_.size() >= wanted) return true;
  if (!buffer_.empty()) {
    status_ = absl::DataLossError(
        absl::StrCat(column_.Where(next_row_), ": an id is cut off"));
  }
  return false;
}

bool IdTextReader::NextNumber(absl::string_view* text) {
  int64_t value = 0;
  if (!Fill(sizeof(value))) return false;
  std::memcpy(&value, buffer_.data() + begin_, sizeof(value));
  begin_ += sizeof(value);
  const auto [end, error] =
      std::to_chars(digits_.data(), digits_.data() + digits_.size(), value);
  (void)error;  // 20 characters hold any int64
  *text = absl::string_view(digits_.data(),
                            static_cast<size_t>(end - digits_.data()));
  return true;
}

bool IdTextReader::Next(absl::string_view* text) {
  if (!status_.ok()) return false;
  if (column_.schema().dtype == DType::kInt64) return NextNumber(text);
  if (!Fill(kLengthBytes)) return false;
  const size_t size = buffer_[begin_] | size_t{buffer_[begin_ + 1]} << 8;
  if (!Fill(kLengthBytes + size)) return false;
  *text = absl::string_view(
      reinterpret_cast<const char*>(buffer_.data() + begin_ + kLengthBytes),
      size);
  begin_ += kLengthBytes + size;
  return true;
}

}  // namespace tributary
