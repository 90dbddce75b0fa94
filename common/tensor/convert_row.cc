#include "common/tensor/convert_row.h"

#include <cpuid.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "common/tensor/convert_row_paths.h"
#include "common/tensor/scaled_row.h"

namespace tributary {
namespace {

// How values lie in a row. float64 holds those of every other dtype.
struct Float64 {
  using Stored = double;
  static double Read(double value) { return value; }
};
struct Float32 {
  using Stored = float;
  static double Read(float value) { return value; }
};

// An IEEE 754 format of 16 bits.
template <int exponent_bits>
struct Format16 {
  using Stored = uint16_t;
  static constexpr int kMantissaBits = 15 - exponent_bits;
  static constexpr int kMantissaMask = (1 << kMantissaBits) - 1;
  // Of the normal numbers next to 0, and of all below.
  static constexpr int kLeastExponent = 2 - (1 << (exponent_bits - 1));
  static constexpr uint16_t kInfinity = 0x7fff & ~kMantissaMask;
  static constexpr uint16_t kNan = kInfinity | 1 << (kMantissaBits - 1);

  static double Read(uint16_t bits) {
    const int magnitude = bits & 0x7fff;
    const int exponent = magnitude >> kMantissaBits;
    int mantissa = magnitude & kMantissaMask;
    if (exponent > 0) mantissa += 1 << kMantissaBits;
    const double value =
        magnitude > kInfinity ? std::numeric_limits<double>::quiet_NaN()
        : magnitude == kInfinity
            ? std::numeric_limits<double>::infinity()
            : std::ldexp(mantissa, std::max(exponent, 1) - 1 + kLeastExponent -
                                       kMantissaBits);
    return bits >> 15 != 0 ? -value : value;
  }

  static uint16_t Round(double value) {
    constexpr int kMantissa = 52, kBias = 1023;
    constexpr uint64_t kOne = uint64_t{1} << kMantissa;
    const auto bits = std::bit_cast<uint64_t>(value);
    const auto sign = static_cast<uint16_t>(bits >> 63 << 15);
    const uint64_t magnitude = bits << 1 >> 1;
    if (magnitude > uint64_t{0x7ff} << kMantissa) return kNan;
    const int exponent = static_cast<int>(magnitude >> kMantissa) - kBias;
    const int least = std::max(exponent, kLeastExponent);
    const int drop = kMantissa - kMantissaBits + (least - exponent);
    if (drop > kMantissa + 1) return sign;  // below half of the least number
    const uint64_t mantissa = kOne | (magnitude & (kOne - 1));
    const uint64_t half = uint64_t{1} << (drop - 1);
    const uint64_t rest = mantissa & (2 * half - 1);
    uint64_t kept = mantissa >> drop;
    if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
    // A normal number's leading 1 counts as one up in the exponent.
    kept += static_cast<uint64_t>(least - kLeastExponent) << kMantissaBits;
    return sign | static_cast<uint16_t>(std::min<uint64_t>(kept, kInfinity));
  }
};
using Float16 = Format16<5>;
using BFloat16 = Format16<8>;

// Value i of a row.
template <typename From>
double ReadAt(const uint8_t* row, size_t i) {
  typename From::Stored stored;
  std::memcpy(&stored, row + i * sizeof(stored), sizeof(stored));
  return From::Read(stored);
}

template <typename From, typename To>
void Convert(const uint8_t* from, size_t width, uint8_t* to, uint8_t*) {
  for (size_t i = 0; i < width; ++i) {
    const uint16_t made = To::Round(ReadAt<From>(from, i));
    std::memcpy(to + i * sizeof(made), &made, sizeof(made));
  }
}

template <typename From>
void ConvertToInt8(const uint8_t* from, size_t width, uint8_t* to,
                   uint8_t* scale) {
  float most = 0;
  bool finite = true;
  for (size_t i = 0; i < width; ++i) {
    const float value = std::fabs(static_cast<float>(ReadAt<From>(from, i)));
    finite &= std::isfinite(value);
    most = std::max(most, value);
  }
  const float unit = finite ? most / kInt8Most : kNoScale;
  std::memcpy(scale, &unit, sizeof(unit));
  if (!(unit > 0)) return static_cast<void>(std::memset(to, 0, width));
  for (size_t i = 0; i < width; ++i) {
    const float value = static_cast<float>(ReadAt<From>(from, i));
    const float units =
        std::clamp(std::rint(value / unit), -kInt8Most, kInt8Most);
    to[i] = static_cast<uint8_t>(static_cast<int8_t>(units));
  }
}

// to[i] = value i times `unit`.
void MultiplyOut(const uint8_t* values, size_t width, float unit, uint8_t* to) {
  for (size_t i = 0; i < width; ++i) {
    const float value = static_cast<float>(static_cast<int8_t>(values[i]));
    const float number = value * unit;
    std::memcpy(to + i * sizeof(number), &number, sizeof(number));
  }
}

void ScaledToFloat32(const uint8_t* from, size_t width, uint8_t* to, uint8_t*) {
  const ScaledRow row = SplitScaledRow(from, width);
  MultiplyOut(row.values, width, row.unit(), to);
}

// Converts the numbers of a scaled row, a few at a time, by `convert`, from
// float32 to a dtype of 16 bits.
void ScaledTo16Bits(const uint8_t* from, size_t width, ConvertRow convert,
                    uint8_t* to) {
  constexpr size_t kAtOnce = 256;
  uint8_t numbers[kAtOnce * sizeof(float)];
  const ScaledRow row = SplitScaledRow(from, width);
  for (size_t at = 0; at < width; at += kAtOnce) {
    const size_t count = std::min(kAtOnce, width - at);
    MultiplyOut(row.values + at, count, row.unit(), numbers);
    convert(numbers, count, to + at * sizeof(uint16_t), nullptr);
  }
}

void ScaledToFloat16(const uint8_t* from, size_t width, uint8_t* to, uint8_t*) {
  ScaledTo16Bits(from, width, ConvertRowPaths().back().to_float16, to);
}

void ScaledToBFloat16(const uint8_t* from, size_t width, uint8_t* to,
                      uint8_t*) {
  ScaledTo16Bits(from, width, ConvertRowPaths().back().to_bfloat16, to);
}

void ScaledToInt8(const uint8_t* from, size_t width, uint8_t* to,
                  uint8_t* scale) {
  const ScaledRow row = SplitScaledRow(from, width);
  std::memcpy(to, row.values, width);
  std::memcpy(scale, row.scale, sizeof(float));
}

constexpr ConvertRowPath kConvertRowPlain = {
    "plain", Convert<Float32, Float16>, Convert<Float32, BFloat16>,
    ConvertToInt8<Float32>, ScaledToFloat32};

bool HasAvx2AndF16c() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __builtin_cpu_supports("avx2") &&
         __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}

std::vector<ConvertRowPath> FindPaths() {
  std::vector<ConvertRowPath> paths = {kConvertRowPlain};
  if (HasAvx2AndF16c()) paths.push_back(kConvertRowAvx2);
  return paths;
}

ConvertRow ToFloat16(DType from) {
  switch (from) {
    case DType::kFloat32:
      return ConvertRowPaths().back().to_float16;
    case DType::kFloat64:
      return Convert<Float64, Float16>;
    case DType::kBFloat16:
      return Convert<BFloat16, Float16>;
    default:
      return nullptr;
  }
}

ConvertRow ToBFloat16(DType from) {
  switch (from) {
    case DType::kFloat32:
      return ConvertRowPaths().back().to_bfloat16;
    case DType::kFloat64:
      return Convert<Float64, BFloat16>;
    case DType::kFloat16:
      return Convert<Float16, BFloat16>;
    default:
      return nullptr;
  }
}

ConvertRow ToInt8(DType from) {
  switch (from) {
    case DType::kFloat32:
      return ConvertRowPaths().back().to_int8;
    case DType::kFloat64:
      return ConvertToInt8<Float64>;
    case DType::kFloat16:
      return ConvertToInt8<Float16>;
    case DType::kBFloat16:
      return ConvertToInt8<BFloat16>;
    default:
      return nullptr;
  }
}

}  // namespace

absl::Span<const ConvertRowPath> ConvertRowPaths() {
  static const std::vector<ConvertRowPath>* const paths =
      new std::vector<ConvertRowPath>(FindPaths());
  return *paths;
}

ConvertRow ConvertRowOf(DType from, DType to) {
  if (to == DType::kFloat16) return ToFloat16(from);
  if (to == DType::kBFloat16) return ToBFloat16(from);
  if (to == DType::kInt8) return ToInt8(from);
  return nullptr;
}

ConvertRow ConvertScaledRowOf(DType to) {
  if (to == DType::kFloat32) return ConvertRowPaths().back().scaled_to_float32;
  if (to == DType::kFloat16) return ScaledToFloat16;
  if (to == DType::kBFloat16) return ScaledToBFloat16;
  if (to == DType::kInt8) return ScaledToInt8;
  return nullptr;
}

}  // namespace tributary
