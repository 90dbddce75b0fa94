#include "common/tensor/testing/defined_features.h"

#include <cmath>
#include <limits>

namespace tributary {
namespace {

template <typename T>
std::string BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

uint16_t InfinityCode(int exponent_bits) {
  return static_cast<uint16_t>(((1 << exponent_bits) - 1)
                               << (15 - exponent_bits));
}

// The whole number of -127 to 127 that is nearest; of two the even one.
int8_t NearestWhole(float quotient) {
  int nearest = 0;
  for (int whole = -127; whole <= 127; ++whole) {
    const double off = std::fabs(static_cast<double>(quotient) - whole);
    const double least = std::fabs(static_cast<double>(quotient) - nearest);
    if (off < least || (off == least && whole % 2 == 0)) nearest = whole;
  }
  return static_cast<int8_t>(nearest);
}

float ScaleOf(const float* row, size_t width) {
  float largest = 0;
  for (size_t i = 0; i < width; ++i) {
    if (std::isnan(row[i]) || std::isinf(row[i])) {
      return std::numeric_limits<float>::quiet_NaN();
    }
    if (std::fabs(row[i]) > largest) largest = std::fabs(row[i]);
  }
  return largest / 127.0f;
}

DefinedFeatures DefineInt8(const std::vector<float>& values, size_t width) {
  DefinedFeatures made{DType::kInt8, {}, {}};
  std::vector<int8_t> wholes;
  for (size_t at = 0; at < values.size(); at += width) {
    const float scale = ScaleOf(&values[at], width);
    made.scales.push_back(scale);
    for (size_t i = at; i < at + width; ++i) {
      wholes.push_back(scale > 0 ? NearestWhole(values[i] / scale) : 0);
    }
  }
  made.bytes = BytesOf(wholes);
  return made;
}

}  // namespace

double DefinedNumber(int exponent_bits, uint16_t code) {
  const int digits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = code >> digits;
  const int fraction = code - (exponent << digits);
  if (exponent == 0) return std::ldexp(fraction, 1 - bias - digits);
  return std::ldexp((1 << digits) + fraction, exponent - bias - digits);
}

uint16_t DefinedCode(int exponent_bits, double value) {
  const uint16_t infinity = InfinityCode(exponent_bits);
  if (std::isnan(value)) {
    return static_cast<uint16_t>(infinity + (1 << (14 - exponent_bits)));
  }
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  uint16_t below = 0, above = infinity;
  while (above - below > 1) {
    const auto middle = static_cast<uint16_t>((below + above) / 2);
    (DefinedNumber(exponent_bits, middle) <= magnitude ? below : above) =
        middle;
  }
  // Both differences are exact or far from each other.
  const double down = magnitude - DefinedNumber(exponent_bits, below);
  const double up = DefinedNumber(exponent_bits, above) - magnitude;
  const bool to_above = up < down || (up == down && above % 2 == 0);
  return sign | (to_above ? above : below);
}

std::vector<float> DefineScaledNumbers(const std::vector<float>& values,
                                       size_t width) {
  const DefinedFeatures made = DefineInt8(values, width);
  std::vector<float> numbers;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto whole = static_cast<int8_t>(made.bytes[i]);
    numbers.push_back(static_cast<float>(whole) * made.scales[i / width]);
  }
  return numbers;
}

DefinedFeatures DefineFeatures(const std::vector<float>& values, size_t width,
                               FeatureDType asked) {
  if (asked == FeatureDType::kInt8) return DefineInt8(values, width);
  if (asked == FeatureDType::kStored) {
    return {DType::kFloat32, BytesOf(values), {}};
  }
  const int exponent_bits = asked == FeatureDType::kFloat16 ? 5 : 8;
  std::vector<uint16_t> codes;
  for (const float value : values) {
    codes.push_back(DefinedCode(exponent_bits, value));
  }
  return {static_cast<DType>(asked), BytesOf(codes), {}};
}

}  // namespace tributary
