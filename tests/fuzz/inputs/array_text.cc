#include "tests/fuzz/inputs/array_text.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace tributary {
namespace {

constexpr int64_t kMostElements = 4096;

std::optional<NpyType> ParseType(absl::string_view word) {
  NpyType type;
  if (word.size() != 2 || word[1] < '1' || word[1] > '8') return std::nullopt;
  type.kind = word[0];
  type.size = static_cast<uint32_t>(word[1] - '0');
  const bool is_power = (type.size & (type.size - 1)) == 0;
  switch (type.kind) {
    case 'u':
    case 'i':
      return is_power ? std::optional(type) : std::nullopt;
    case 'f':
      return is_power && type.size > 1 ? std::optional(type) : std::nullopt;
    case 'b':
      return type.size == 1 ? std::optional(type) : std::nullopt;
    case 'V':
      return type;
    default:
      return std::nullopt;
  }
}

// Returns the number of elements; -1 if the word is no shape.
int64_t ParseShape(absl::string_view word, std::vector<int64_t>& shape) {
  constexpr size_t kMostDims = 4;
  int64_t count = 1;
  if (word == "()") return count;
  for (const absl::string_view text : absl::StrSplit(word, ',')) {
    int64_t dim = 0;
    if (!absl::SimpleAtoi(text, &dim) || dim < 0 || dim > kMostElements) {
      return -1;
    }
    shape.push_back(dim);
    count *= dim;
    if (count > kMostElements || shape.size() > kMostDims) return -1;
  }
  return count;
}

std::string ElementOf(NpyType type, absl::string_view word) {
  std::string bytes(type.size, '\0');
  if (type.kind == 'f' && type.size >= sizeof(float)) {
    double value = 0;
    (void)absl::SimpleAtod(word, &value);
    const auto narrow = static_cast<float>(value);
    const void* from = &value;
    if (type.size == sizeof(float)) from = &narrow;
    std::memcpy(bytes.data(), from, type.size);
    return bytes;
  }
  int64_t value = 0;
  uint64_t bits = 0;
  if (absl::SimpleAtoi(word, &value)) {
    bits = static_cast<uint64_t>(value);
  } else {
    (void)absl::SimpleAtoi(word, &bits);
  }
  std::memcpy(bytes.data(), &bits, type.size);
  return bytes;
}

}  // namespace

std::optional<ArrayOfText> ParseArrayText(absl::string_view text) {
  const size_t line = std::min(text.find('\n'), text.size());
  const std::vector<absl::string_view> head =
      absl::StrSplit(text.substr(0, line), ' ');
  if (head.size() < 2 || head.size() > 3) return std::nullopt;
  const std::optional<NpyType> type = ParseType(head[0]);
  if (!type.has_value()) return std::nullopt;
  ArrayOfText array{*type, {}, ""};
  int64_t count = ParseShape(head[1], array.shape);
  if (count < 0) return std::nullopt;
  int64_t fewer = 0;
  if (head.size() == 3) {
    if (!absl::SimpleAtoi(head[2], &fewer) || fewer < 0) return std::nullopt;
    count = std::min(count, fewer);
  }
  for (const absl::string_view word : absl::StrSplit(
           text.substr(line), absl::ByAnyChar(" \n"), absl::SkipEmpty())) {
    if (count == 0) break;
    array.bytes += ElementOf(*type, word);
    --count;
  }
  array.bytes.append(static_cast<size_t>(count) * type->size, '\0');
  return array;
}

std::string NpyOfText(absl::string_view text) {
  const std::optional<ArrayOfText> array = ParseArrayText(text);
  if (!array.has_value()) return std::string(text);
  return FormatNpyHeader(array->type, array->shape) + array->bytes;
}

}  // namespace tributary
