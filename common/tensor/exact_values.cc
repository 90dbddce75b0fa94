#include "common/tensor/exact_values.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace tributary {
namespace {

// A float16 or bfloat16 as it is stored, of so many bits of mantissa.
template <int kMantissa>
struct Float16Bits {
  uint16_t bits;

  float value() const {
    constexpr int kExponentBias = (1 << (14 - kMantissa)) - 1;
    constexpr int kExponentMask = (1 << (15 - kMantissa)) - 1;
    const int exponent = (bits >> kMantissa) & kExponentMask;
    const int mantissa = bits & ((1 << kMantissa) - 1);
    float magnitude = 0;
    if (exponent == kExponentMask) {
      magnitude = mantissa != 0 ? std::numeric_limits<float>::quiet_NaN()
                                : std::numeric_limits<float>::infinity();
    } else if (exponent == 0) {
      magnitude = std::ldexp(static_cast<float>(mantissa),
                             1 - kExponentBias - kMantissa);
    } else {
      magnitude = std::ldexp(static_cast<float>(mantissa | 1 << kMantissa),
                             exponent - kExponentBias - kMantissa);
    }
    return std::copysign(magnitude, (bits & 0x8000) != 0 ? -1.0F : 1.0F);
  }
};
using Float16 = Float16Bits<10>;
using BFloat16 = Float16Bits<7>;

// A count of datetime64's unit.
struct Date {
  int64_t count;
};

// Convert one value; nullopt: `To` cannot hold it.
template <typename To, typename From>
std::optional<To> ConvertOne(From value) {
  if constexpr (std::is_same_v<From, Float16> ||
                std::is_same_v<From, BFloat16>) {
    return ConvertOne<To>(value.value());
  } else if constexpr (std::is_same_v<From, Date>) {
    constexpr int64_t kNaT = std::numeric_limits<int64_t>::min();
    if (value.count == kNaT) return std::nullopt;
    return ConvertOne<To>(value.count);
  } else if constexpr (std::is_same_v<To, bool>) {
    if (value != 0 && value != 1) return std::nullopt;
    return value == 1;
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    if (!std::in_range<To>(value)) return std::nullopt;
    return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<To>) {
    // Not after a NaN. 2^63 is the first that int64 lacks.
    const bool whole = std::trunc(value) == value;
    if (!whole || value < -0x1p63 || value >= 0x1p63) return std::nullopt;
    return ConvertOne<To>(static_cast<int64_t>(value));
  } else if constexpr (std::is_integral_v<From>) {
    const To converted = static_cast<To>(value);
    constexpr To kEnd =
        static_cast<To>(std::is_signed_v<From> ? 0x1p63 : 0x1p64);
    if (sizeof(From) == 8 && converted >= kEnd) return std::nullopt;
    if (static_cast<From>(converted) != value) return std::nullopt;
    return converted;
  } else {
    return static_cast<To>(value);  // floats to equal or wider ones
  }
}

template <typename From, typename To>
std::optional<size_t> Convert(const uint8_t* from, size_t count, uint8_t* to) {
  for (size_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    const std::optional<To> converted = ConvertOne<To>(value);
    if (!converted.has_value()) return i;
    std::memcpy(to + i * sizeof(To), &*converted, sizeof(To));
  }
  return std::nullopt;
}

template <typename From>
ExactConversion FromWhole(DType to) {
  switch (to) {
    case DType::kUint8:
      return Convert<From, uint8_t>;
    case DType::kInt8:
      return Convert<From, int8_t>;
    case DType::kInt16:
      return Convert<From, int16_t>;
    case DType::kInt32:
      return Convert<From, int32_t>;
    case DType::kInt64:
      return Convert<From, int64_t>;
    case DType::kFloat32:
      return Convert<From, float>;
    case DType::kFloat64:
      return Convert<From, double>;
    case DType::kBool:
      return Convert<From, bool>;
    default:
      return nullptr;
  }
}

template <typename From>
ExactConversion FromFloat(DType to) {
  switch (to) {
    case DType::kInt64:
      return Convert<From, int64_t>;
    case DType::kFloat32:
      if constexpr (std::is_same_v<From, double>) return nullptr;
      return Convert<From, float>;
    case DType::kFloat64:
      return Convert<From, double>;
    case DType::kBool:
      return Convert<From, bool>;
    default:
      return nullptr;
  }
}

}  // namespace

ExactConversion AnyExactConversion(NpyType from, DType to) {
  if (from == NpyTypeOf(DType::kBFloat16)) return FromFloat<BFloat16>(to);
  const bool dates = from.kind == 'M' || from.kind == 'm';
  if (dates) return to == DType::kInt64 ? Convert<Date, int64_t> : nullptr;
  // A file may have any byte where NumPy has a bool.
  if (from.kind == 'b') return FromWhole<uint8_t>(to);
  const bool is_float = from.kind == 'f', is_signed = from.kind == 'i';
  if (!is_float && !is_signed && from.kind != 'u') return nullptr;
  switch (from.size) {
    case 1:
      if (is_float) return nullptr;
      return is_signed ? FromWhole<int8_t>(to) : FromWhole<uint8_t>(to);
    case 2:
      if (is_float) return FromFloat<Float16>(to);
      return is_signed ? FromWhole<int16_t>(to) : FromWhole<uint16_t>(to);
    case 4:
      if (is_float) return FromFloat<float>(to);
      return is_signed ? FromWhole<int32_t>(to) : FromWhole<uint32_t>(to);
    case 8:
      if (is_float) return FromFloat<double>(to);
      return is_signed ? FromWhole<int64_t>(to) : FromWhole<uint64_t>(to);
    default:
      return nullptr;
  }
}

ExactConversion WholeConversion(NpyType from, DType to) {
  const bool from_float = from.kind == 'f' || from.kind == 'V';
  const bool widens =
      from == NpyTypeOf(DType::kFloat32) && to == DType::kFloat64;
  if (from_float != IsFloating(to)) return nullptr;
  return !from_float || widens ? AnyExactConversion(from, to) : nullptr;
}

}  // namespace tributary
