#include <immintrin.h>

#include <cstring>

#include "common/tensor/convert_row_paths.h"
#include "common/tensor/scaled_row.h"

namespace tributary {
namespace {

constexpr size_t kLanes = 8;

// A mask of 32 bits a lane becomes one of 16.
__m128i Halve(__m256 mask) {
  const __m256i lanes = _mm256_castps_si256(mask);
  return _mm_packs_epi32(_mm256_castsi256_si128(lanes),
                         _mm256_extracti128_si256(lanes, 1));
}

struct ToFloat16 {
  static __m128i Convert(__m256 values) {
    const __m128i rounded =
        _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    const __m256 nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    return _mm_blendv_epi8(rounded, _mm_set1_epi16(0x7e00), Halve(nan));
  }
};

struct ToBFloat16 {
  // The carry of the half that is added goes up to the exponent, to infinity at
  // last.
  static __m128i Convert(__m256 values) {
    const __m256i bits = _mm256_castps_si256(values);
    const __m256i odd =
        _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_srli_epi32(
        _mm256_add_epi32(bits,
                         _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff))),
        16);
    const __m128i packed = _mm_packus_epi32(
        _mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
    const __m256 nan = _mm256_cmp_ps(values, values, _CMP_UNORD_Q);
    return _mm_blendv_epi8(packed, _mm_set1_epi16(0x7fc0), Halve(nan));
  }
};

__m256 Load(const uint8_t* from) {
  return _mm256_loadu_ps(reinterpret_cast<const float*>(from));
}

// each(i) for lanes i, i + 1, ... of a row of at least kLanes: all, the last
// ones perhaps twice.
template <typename Each>
void ForLanes(size_t width, Each each) {
  for (size_t i = 0; i + kLanes < width; i += kLanes) each(i);
  each(width - kLanes);
}

template <typename To>
void Convert(const uint8_t* from, size_t width, uint8_t* to, uint8_t* scale) {
  if (width < kLanes) {
    uint8_t few[kLanes * 4] = {}, made[kLanes * 2];
    std::memcpy(few, from, width * 4);
    Convert<To>(few, kLanes, made, scale);
    std::memcpy(to, made, width * 2);
    return;
  }
  ForLanes(width, [=](size_t i) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * 2),
                     To::Convert(Load(from + i * 4)));
  });
}

// Their bits order magnitudes as numbers do, infinity and NaNs above all.
uint32_t LargestMagnitude(const uint8_t* from, size_t width) {
  const __m256i without_sign = _mm256_set1_epi32(0x7fffffff);
  __m256i most = _mm256_setzero_si256();
  ForLanes(width, [&](size_t i) {
    const __m256i bits = _mm256_castps_si256(Load(from + i * 4));
    most = _mm256_max_epu32(most, _mm256_and_si256(bits, without_sign));
  });
  alignas(32) uint32_t lanes[kLanes];
  _mm256_store_si256(reinterpret_cast<__m256i*>(lanes), most);
  uint32_t largest = 0;
  for (const uint32_t lane : lanes) largest = lane > largest ? lane : largest;
  return largest;
}

__m128i ToInt8Lanes(__m256 values, __m256 unit) {
  const __m256i whole = _mm256_cvtps_epi32(_mm256_div_ps(values, unit));
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(whole),
                                        _mm256_extracti128_si256(whole, 1));
  return _mm_max_epi8(_mm_packs_epi16(words, words),
                      _mm_set1_epi8(static_cast<char>(-127)));
}

void ConvertToInt8(const uint8_t* from, size_t width, uint8_t* to,
                   uint8_t* scale) {
  if (width < kLanes) {
    uint8_t few[kLanes * 4] = {}, made[kLanes];
    std::memcpy(few, from, width * 4);
    ConvertToInt8(few, kLanes, made, scale);
    std::memcpy(to, made, width);
    return;
  }
  constexpr uint32_t kInfinity = 0x7f800000;
  const uint32_t largest = LargestMagnitude(from, width);
  float unit = kNoScale;
  if (largest < kInfinity) {
    std::memcpy(&unit, &largest, sizeof(unit));
    unit /= kInt8Most;
  }
  std::memcpy(scale, &unit, sizeof(unit));
  if (!(unit > 0)) {
    std::memset(to, 0, width);
    return;
  }
  const __m256 units = _mm256_set1_ps(unit);
  ForLanes(width, [=](size_t i) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + i),
                     ToInt8Lanes(Load(from + i * 4), units));
  });
}

// Sets 8 float32 at `to` to 8 int8 at `values` times `units`.
void MultiplyOut(const uint8_t* values, __m256 units, uint8_t* to) {
  const __m128i bytes =
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(values));
  const __m256 whole = _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes));
  _mm256_storeu_ps(reinterpret_cast<float*>(to), _mm256_mul_ps(whole, units));
}

void ScaledToFloat32(const uint8_t* from, size_t width, uint8_t* to, uint8_t*) {
  const ScaledRow row = SplitScaledRow(from, width);
  const __m256 units = _mm256_set1_ps(row.unit());
  if (width < kLanes) {
    uint8_t few[kLanes] = {}, made[kLanes * 4];
    std::memcpy(few, row.values, width);
    MultiplyOut(few, units, made);
    std::memcpy(to, made, width * 4);
    return;
  }
  ForLanes(width,
           [=](size_t i) { MultiplyOut(row.values + i, units, to + i * 4); });
}

}  // namespace

extern const ConvertRowPath kConvertRowAvx2 = {"avx2", Convert<ToFloat16>,
                                               Convert<ToBFloat16>,
                                               ConvertToInt8, ScaledToFloat32};

}  // namespace tributary
