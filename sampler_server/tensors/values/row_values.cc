#include "sampler_server/tensors/values/row_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "common/tensor/convert_row.h"

namespace tributary {
namespace {

template <typename T>
T Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <typename T>
void Store(T value, uint8_t* at) {
  std::memcpy(at, &value, sizeof(value));
}

// Returns the value of float16 bits, exactly.
float FromFloat16(uint16_t bits) {
  const uint32_t sign = uint32_t{bits} >> 15 << 31;
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {  // a multiple of 2^-24
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}

float FromBFloat16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t{bits} << 16);
}

// Rounds values to a dtype of 16 bits.
template <DType dtype>
void RoundAllTo(const float* values, size_t count, uint8_t* to) {
  static const ConvertRow convert = ConvertRowOf(DType::kFloat32, dtype);
  convert(reinterpret_cast<const uint8_t*>(values), count, to, nullptr);
}

template <DType dtype>
void RoundTo(float value, uint8_t* at) {
  RoundAllTo<dtype>(&value, 1, at);
}

template <typename T>
void Add(size_t width, const uint8_t* from, uint8_t* to) {
  // Unsigned, so that sums wrap around.
  using Sum =
      typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                  std::type_identity<T>>::type;
  for (size_t i = 0; i < width; ++i) {
    const size_t at = i * sizeof(T);
    Store(static_cast<Sum>(Load<Sum>(to + at) + Load<Sum>(from + at)), to + at);
  }
}

template <DType dtype, float (*Read)(uint16_t)>
void Add16(size_t width, const uint8_t* from, uint8_t* to) {
  constexpr size_t kAtOnce = 256;
  float sums[kAtOnce];
  for (size_t begin = 0; begin < width; begin += kAtOnce) {
    const size_t count = std::min(kAtOnce, width - begin);
    const uint8_t* const more = from + 2 * begin;
    uint8_t* const values = to + 2 * begin;
    for (size_t i = 0; i < count; ++i) {
      sums[i] = Read(Load<uint16_t>(values + 2 * i)) +
                Read(Load<uint16_t>(more + 2 * i));
    }
    RoundAllTo<dtype>(sums, count, values);
  }
}

}  // namespace

void StoreNumber(double value, DType dtype, uint8_t* out) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUint8:
      return Store(static_cast<uint8_t>(value), out);
    case DType::kInt8:
      return Store(static_cast<int8_t>(value), out);
    case DType::kInt16:
      return Store(static_cast<int16_t>(value), out);
    case DType::kInt32:
      return Store(static_cast<int32_t>(value), out);
    case DType::kInt64:
      return Store(static_cast<int64_t>(value), out);
    case DType::kFloat16:
      return RoundTo<DType::kFloat16>(static_cast<float>(value), out);
    case DType::kBFloat16:
      return RoundTo<DType::kBFloat16>(static_cast<float>(value), out);
    case DType::kFloat32:
      return Store(static_cast<float>(value), out);
    case DType::kFloat64:
      return Store(value, out);
  }
}

absl::Status CheckAddable(DType dtype) {
  if (dtype != DType::kBool) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "an addition to rows of dtype bool; they can be set");
}

void AddValues(DType dtype, size_t width, const uint8_t* from, uint8_t* to) {
  switch (dtype) {
    case DType::kBool:
      return;
    case DType::kUint8:
      return Add<uint8_t>(width, from, to);
    case DType::kInt8:
      return Add<int8_t>(width, from, to);
    case DType::kInt16:
      return Add<int16_t>(width, from, to);
    case DType::kInt32:
      return Add<int32_t>(width, from, to);
    case DType::kInt64:
      return Add<int64_t>(width, from, to);
    case DType::kFloat16:
      return Add16<DType::kFloat16, FromFloat16>(width, from, to);
    case DType::kBFloat16:
      return Add16<DType::kBFloat16, FromBFloat16>(width, from, to);
    case DType::kFloat32:
      return Add<float>(width, from, to);
    case DType::kFloat64:
      return Add<double>(width, from, to);
  }
}

}  // namespace tributary
