#include <immintrin.h>

#include <cstring>

#include "sampler_server/engine/convert_row_paths.h"

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

template <typename To>
void ConvertLanes(const uint8_t* from, uint8_t* to) {
  const __m256 values = _mm256_loadu_ps(reinterpret_cast<const float*>(from));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), To::Convert(values));
}

template <typename To>
void Convert(const uint8_t* from, size_t width, uint8_t* to) {
  if (width < kLanes) {
    uint8_t few[kLanes * 4] = {}, made[kLanes * 2];
    std::memcpy(few, from, width * 4);
    ConvertLanes<To>(few, made);
    std::memcpy(to, made, width * 2);
    return;
  }
  for (size_t i = 0; i + kLanes < width; i += kLanes) {
    ConvertLanes<To>(from + i * 4, to + i * 2);
  }
  // The last ones, some of them perhaps once more.
  ConvertLanes<To>(from + (width - kLanes) * 4, to + (width - kLanes) * 2);
}

}  // namespace

extern const ConvertRowPath kConvertRowAvx2 = {"avx2", Convert<ToFloat16>,
                                               Convert<ToBFloat16>};

}  // namespace tributary
