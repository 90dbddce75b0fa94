#include "cli/parquet/array_bytes.h"

#include <arrow/array.h>
#include <arrow/type.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "partition/pipeline/inputs/parquet/parquet_frames.h"

namespace tributary {
namespace {

using arrow::Type;

constexpr uint16_t kNan16 = 0x7e00;
constexpr uint32_t kNan32 = 0x7fc00000;
constexpr uint64_t kNan64 = 0x7ff8000000000000;

bool IsText(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::STRING:
    case Type::BINARY:
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      return true;
    case Type::DICTIONARY:
      return IsText(
          *static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return false;
  }
}

// Returns the type that holds a graph's values; nullopt if there is none.
std::optional<DType> NumberType(const arrow::DataType& type) {
  switch (type.id()) {
    case Type::BOOL:
      return DType::kBool;
    case Type::UINT8:
      return DType::kUint8;
    case Type::INT8:
      return DType::kInt8;
    case Type::INT16:
      return DType::kInt16;
    case Type::UINT16:
    case Type::INT32:
    case Type::DATE32:
    case Type::TIME32:
      return DType::kInt32;
    case Type::UINT32:
    case Type::UINT64:
    case Type::INT64:
    case Type::DATE64:
    case Type::TIME64:
    case Type::TIMESTAMP:
    case Type::DURATION:
      return DType::kInt64;
    case Type::HALF_FLOAT:
      return DType::kFloat16;
    case Type::FLOAT:
      return DType::kFloat32;
    case Type::DOUBLE:
      return DType::kFloat64;
    default:
      return std::nullopt;
  }
}

const arrow::DataType& ValueType(const arrow::DataType& list) {
  return *static_cast<const arrow::BaseListType&>(list).value_type();
}

constexpr char kNull[] = "a null; allowed: a value in each row";

template <typename T>
const T* ValuesFrom(const arrow::Array& array, int64_t begin) {
  return array.data()->GetValues<T>(1) + begin;
}

// Appends values whose type stays.
template <typename T>
T* AppendRaw(const arrow::Array& array, int64_t begin, int64_t end,
             std::vector<uint8_t>& out) {
  const size_t before = out.size();
  const auto bytes = static_cast<size_t>(end - begin) * sizeof(T);
  out.resize(before + bytes);
  if (bytes > 0) {
    std::memcpy(out.data() + before, ValuesFrom<T>(array, begin), bytes);
  }
  return reinterpret_cast<T*>(out.data() + before);
}

template <typename T>
std::optional<WrongRow> AppendFloats(const arrow::Array& array, int64_t begin,
                                     int64_t end, T nan,
                                     std::vector<uint8_t>& out) {
  T* values = AppendRaw<T>(array, begin, end, out);
  for (int64_t i = begin; array.null_count() > 0 && i < end; ++i) {
    if (array.IsNull(i)) std::memcpy(values + (i - begin), &nan, sizeof(nan));
  }
  return std::nullopt;
}

template <typename From, typename To>
std::optional<WrongRow> AppendWider(const arrow::Array& array, int64_t begin,
                                    int64_t end, std::vector<uint8_t>& out) {
  const From* values = ValuesFrom<From>(array, begin);
  for (int64_t i = 0; i < end - begin; ++i) {
    if (!std::in_range<To>(values[i])) {
      return WrongRow{begin + i,
                      absl::StrCat(values[i], "; allowed: numbers below 2^63")};
    }
    const auto value = static_cast<To>(values[i]);
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    out.insert(out.end(), bytes, bytes + sizeof(value));
  }
  return std::nullopt;
}

std::optional<WrongRow> AppendBools(const arrow::Array& array, int64_t begin,
                                    int64_t end, std::vector<uint8_t>& out) {
  const auto& bools = static_cast<const arrow::BooleanArray&>(array);
  for (int64_t i = begin; i < end; ++i) {
    out.push_back(bools.Value(i) ? 1 : 0);
  }
  return std::nullopt;
}

std::optional<WrongRow> CheckNoNulls(const arrow::Array& array, int64_t begin,
                                     int64_t end) {
  for (int64_t i = begin; array.null_count() > 0 && i < end; ++i) {
    if (array.IsNull(i)) return WrongRow{i, kNull};
  }
  return std::nullopt;
}

std::optional<WrongRow> AppendNumbers(const arrow::Array& array, int64_t begin,
                                      int64_t end, std::vector<uint8_t>& out) {
  switch (array.type_id()) {
    case Type::HALF_FLOAT:
      return AppendFloats<uint16_t>(array, begin, end, kNan16, out);
    case Type::FLOAT:
      return AppendFloats<uint32_t>(array, begin, end, kNan32, out);
    case Type::DOUBLE:
      return AppendFloats<uint64_t>(array, begin, end, kNan64, out);
    default:
      if (auto wrong = CheckNoNulls(array, begin, end)) return wrong;
  }
  switch (array.type_id()) {
    case Type::BOOL:
      return AppendBools(array, begin, end, out);
    case Type::UINT16:
      return AppendWider<uint16_t, int32_t>(array, begin, end, out);
    case Type::UINT32:
      return AppendWider<uint32_t, int64_t>(array, begin, end, out);
    case Type::UINT64:
      return AppendWider<uint64_t, int64_t>(array, begin, end, out);
    case Type::UINT8:
    case Type::INT8:
      AppendRaw<uint8_t>(array, begin, end, out);
      return std::nullopt;
    case Type::INT16:
      AppendRaw<uint16_t>(array, begin, end, out);
      return std::nullopt;
    case Type::INT32:
    case Type::DATE32:
    case Type::TIME32:
      AppendRaw<uint32_t>(array, begin, end, out);
      return std::nullopt;
    default:
      AppendRaw<uint64_t>(array, begin, end, out);
      return std::nullopt;
  }
}

// Appends the values of lists. `Lists` has value_offset() and values().
template <typename Lists>
std::optional<WrongRow> AppendLists(const arrow::Array& array, int64_t begin,
                                    int64_t end, int64_t length,
                                    std::vector<uint8_t>& out) {
  if (auto wrong = CheckNoNulls(array, begin, end)) return wrong;
  const auto& lists = static_cast<const Lists&>(array);
  for (int64_t i = begin; i < end; ++i) {
    if (lists.value_length(i) == length) continue;
    return WrongRow{i, absl::StrCat("a list of ", lists.value_length(i),
                                    " values; the first row has ", length)};
  }
  const int64_t from = lists.value_offset(begin);
  auto wrong =
      AppendNumbers(*lists.values(), from, lists.value_offset(end), out);
  if (wrong.has_value()) wrong->row = begin + (wrong->row - from) / length;
  return wrong;
}

template <typename Texts>
void AppendViews(const arrow::Array& array, int64_t begin, int64_t end,
                 std::vector<absl::string_view>& out) {
  const auto& texts = static_cast<const Texts&>(array);
  for (int64_t i = begin; i < end; ++i) {
    const auto view = texts.GetView(i);
    out.emplace_back(view.data(), view.size());
  }
}

}  // namespace

bool IsList(const arrow::DataType& type) {
  return type.id() == Type::LIST || type.id() == Type::LARGE_LIST ||
         type.id() == Type::FIXED_SIZE_LIST;
}

absl::StatusOr<ParquetColumn> ColumnFor(const std::string& name,
                                        const arrow::DataType& type) {
  ParquetColumn column{.name = name};
  column.is_text = IsText(type);
  if (column.is_text) return column;
  const bool is_list = IsList(type);
  const auto dtype = NumberType(is_list ? ValueType(type) : type);
  if (!dtype.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "column \"", name, "\" is ", type.ToString(),
        "; allowed: whole numbers, bool, floating-point numbers, dates and "
        "times, strings, and lists of numbers"));
  }
  column.schema = {*dtype, is_list ? -1 : 0};
  if (type.id() == Type::FIXED_SIZE_LIST) {
    column.schema.dim =
        static_cast<const arrow::FixedSizeListType&>(type).list_size();
  }
  return column;
}

std::optional<WrongRow> AppendValues(const arrow::Array& array, int64_t begin,
                                     int64_t end, const ParquetColumn& column,
                                     std::vector<uint8_t>& out) {
  switch (array.type_id()) {
    case Type::LIST:
      return AppendLists<arrow::ListArray>(array, begin, end, column.schema.dim,
                                           out);
    case Type::LARGE_LIST:
      return AppendLists<arrow::LargeListArray>(array, begin, end,
                                                column.schema.dim, out);
    case Type::FIXED_SIZE_LIST:
      return AppendLists<arrow::FixedSizeListArray>(array, begin, end,
                                                    column.schema.dim, out);
    default:
      return AppendNumbers(array, begin, end, out);
  }
}

std::optional<WrongRow> AppendTexts(const arrow::Array& array, int64_t begin,
                                    int64_t end,
                                    std::vector<absl::string_view>& out) {
  if (auto wrong = CheckNoNulls(array, begin, end)) return wrong;
  switch (array.type_id()) {
    case Type::LARGE_STRING:
    case Type::LARGE_BINARY:
      AppendViews<arrow::LargeBinaryArray>(array, begin, end, out);
      return std::nullopt;
    case Type::DICTIONARY: {
      const auto& words = static_cast<const arrow::DictionaryArray&>(array);
      const arrow::Array& dictionary = *words.dictionary();
      std::vector<absl::string_view> known;
      if (auto wrong = AppendTexts(dictionary, 0, dictionary.length(), known)) {
        return wrong;
      }
      for (int64_t i = begin; i < end; ++i) {
        const int64_t word = words.GetValueIndex(i);
        // Arrow takes any number of the file.
        if (word < 0 || word >= dictionary.length()) {
          return WrongRow{i,
                          absl::StrCat("word ", word, "; its dictionary has ",
                                       dictionary.length(), " words")};
        }
        out.push_back(known[static_cast<size_t>(word)]);
      }
      return std::nullopt;
    }
    default:
      AppendViews<arrow::BinaryArray>(array, begin, end, out);
      return std::nullopt;
  }
}

}  // namespace tributary
