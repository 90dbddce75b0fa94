#include "common/tensor/npy.h"

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/io/buffer.h"
#include "common/tensor/scaled_row.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat(".npy header: ", what));
}

std::string ShapeText(absl::Span<const int64_t> shape) {
  const char* comma = shape.size() == 1 ? "," : "";
  return absl::StrCat("(", absl::StrJoin(shape, ", "), comma, ")");
}

// Returns the text of `key`'s value, which ends at a comma or brace.
absl::StatusOr<absl::string_view> ValueOf(absl::string_view dict,
                                          absl::string_view key) {
  const size_t at = dict.find(absl::StrCat("'", key, "':"));
  if (at == absl::string_view::npos) {
    return Damaged(absl::StrCat("no key '", key, "'"));
  }
  absl::string_view value =
      absl::StripLeadingAsciiWhitespace(dict.substr(at + key.size() + 3));
  const bool is_tuple = absl::StartsWith(value, "(");
  const bool is_list = absl::StartsWith(value, "[");
  const size_t end = is_tuple  ? value.find(')')
                     : is_list ? value.find(']')
                               : value.find_first_of(",}");
  if (end == absl::string_view::npos) {
    return Damaged(absl::StrCat("the value of '", key, "' does not end"));
  }
  return absl::StripAsciiWhitespace(
      value.substr(0, is_tuple || is_list ? end + 1 : end));
}

constexpr absl::string_view kRecordBegin = "[('value', '|i1'";
constexpr absl::string_view kRecordEnd = "), ('scale', '<f4')]";

// Parses the fields of a scaled row, as NumPy writes them.
absl::StatusOr<NpyType> ParseRecord(absl::string_view text) {
  absl::string_view dim = text;
  uint32_t count = 0;
  const bool is_record = absl::ConsumePrefix(&dim, kRecordBegin) &&
                         absl::ConsumeSuffix(&dim, kRecordEnd);
  if (is_record && dim.empty()) return NpyTypeOfScaledRows(0);
  if (is_record && absl::ConsumePrefix(&dim, ", (") &&
      absl::ConsumeSuffix(&dim, ",)") && absl::SimpleAtoi(dim, &count) &&
      count > 0 && count < uint32_t{1} << 31) {
    return NpyTypeOfScaledRows(count);
  }
  return Damaged(absl::StrCat("descr ", text, " is not supported; records of ",
                              kRecordBegin, ", (N,)", kRecordEnd, " are"));
}

absl::StatusOr<NpyType> ParseDescr(absl::string_view text) {
  if (absl::StartsWith(text, "[")) return ParseRecord(text);
  uint32_t size = 0;
  const bool quoted = text.size() >= 5 && text.front() == text.back() &&
                      (text.front() == '\'' || text.front() == '"');
  if (!quoted || !absl::SimpleAtoi(text.substr(3, text.size() - 4), &size)) {
    return Damaged(absl::StrCat("descr ", text, " is not understood"));
  }
  const char order = text[1], kind = text[2];
  const bool known_kind = absl::string_view("uifbV").find(kind) != text.npos;
  const bool little = order == '<' || order == '|' || order == '=';
  if (!known_kind || !little || size == 0 || size > 255) {
    return Damaged(absl::StrCat("descr ", text,
                                " is not supported; little-endian numbers "
                                "and booleans are"));
  }
  return NpyType{kind, size};
}

absl::StatusOr<std::vector<int64_t>> ParseShape(absl::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') {
    return Damaged(absl::StrCat("shape ", text, " is no tuple"));
  }
  std::vector<int64_t> shape;
  for (absl::string_view part : absl::StrSplit(text.substr(1, text.size() - 2),
                                               ',', absl::SkipWhitespace())) {
    int64_t dim = 0;
    if (!absl::SimpleAtoi(part, &dim) || dim < 0) {
      return Damaged(absl::StrCat("shape ", text, " is not understood"));
    }
    shape.push_back(dim);
  }
  return shape;
}

absl::Status CheckSizeFits(const NpyHeader& header) {
  uint64_t bytes = header.type.size;
  for (int64_t dim : header.shape) {
    constexpr auto kMax = uint64_t{std::numeric_limits<int64_t>::max()};
    if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > kMax) {
      return Damaged(absl::StrCat("shape ", ShapeText(header.shape),
                                  " is beyond 2^63 bytes"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<NpyHeader> ParseDict(absl::string_view dict) {
  NpyHeader header;
  ASSIGN_OR_RETURN(const auto descr, ValueOf(dict, "descr"));
  ASSIGN_OR_RETURN(header.type, ParseDescr(descr));
  ASSIGN_OR_RETURN(const auto order, ValueOf(dict, "fortran_order"));
  if (order != "False") {
    return Damaged(absl::StrCat("fortran_order is ", order,
                                "; only row-major (False) is supported"));
  }
  ASSIGN_OR_RETURN(const auto shape, ValueOf(dict, "shape"));
  ASSIGN_OR_RETURN(header.shape, ParseShape(shape));
  RETURN_IF_ERROR(CheckSizeFits(header));
  return header;
}

}  // namespace

std::string NpyType::descr() const {
  if (kind == 's') {
    const std::string length = absl::StrCat(", (", dim, ",)");
    return absl::StrCat(kRecordBegin, dim == 0 ? "" : length, kRecordEnd);
  }
  const char order = size == 1 || kind == 'V' ? '|' : '<';
  return absl::StrCat(std::string(1, order), std::string(1, kind), size);
}

NpyType NpyTypeOf(DType dtype) {
  const auto size = static_cast<uint32_t>(DTypeSize(dtype));
  switch (dtype) {
    case DType::kUint8:
      return {'u', size};
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return {'i', size};
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return {'f', size};
    case DType::kBool:
      return {'b', size};
    case DType::kBFloat16:
      break;
  }
  return {'V', size};
}

NpyType NpyTypeOfScaledRows(int64_t dim) {
  const size_t width = dim == 0 ? 1 : static_cast<size_t>(dim);
  return {'s', static_cast<uint32_t>(ScaledRowBytes(width)),
          static_cast<uint32_t>(dim)};
}

uint64_t NpyHeader::data_bytes() const {
  uint64_t bytes = type.size;
  for (int64_t dim : shape) bytes *= static_cast<uint64_t>(dim);
  return bytes;
}

std::string FormatNpyHeader(NpyType type, absl::Span<const int64_t> shape) {
  const char* const quote = type.kind == 's' ? "" : "'";
  std::string dict = absl::StrCat(
      "{'descr': ", quote, type.descr(), quote,
      ", 'fortran_order': False, 'shape': ", ShapeText(shape), ", }");
  const size_t unpadded = kMagic.size() + 4 + dict.size() + 1;
  dict.append(AlignUp(unpadded, kCacheLine) - unpadded, ' ').push_back('\n');
  std::string header(kMagic);
  header.append({'\x01', '\x00'});
  header.push_back(static_cast<char>(dict.size() & 0xff));
  header.push_back(static_cast<char>(dict.size() >> 8));
  return header + dict;
}

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::Span<const uint8_t> bytes) {
  const absl::string_view text(reinterpret_cast<const char*>(bytes.data()),
                               bytes.size());
  if (!absl::StartsWith(text, kMagic) || text.size() < 12) {
    return Damaged("the file does not begin as a .npy file does");
  }
  const uint8_t version = bytes[6];
  if (version < 1 || version > 3) {
    return Damaged(absl::StrCat("version ", version, "; 1 to 3 are supported"));
  }
  const size_t prefix = version == 1 ? 10 : 12;
  size_t length = bytes[8] | size_t{bytes[9]} << 8;
  if (version > 1) length |= size_t{bytes[10]} << 16 | size_t{bytes[11]} << 24;
  if (length > text.size() - prefix) return Damaged("it is cut off");
  ASSIGN_OR_RETURN(NpyHeader header, ParseDict(text.substr(prefix, length)));
  header.data_offset = prefix + length;
  return header;
}

}  // namespace tributary
