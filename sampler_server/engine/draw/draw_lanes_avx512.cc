#include <immintrin.h>

#include "sampler_server/engine/draw/draw_lanes_kernel.h"
#include "sampler_server/engine/draw/draw_lanes_paths.h"

namespace tributary {
namespace {

struct Avx512 {
  using Vector = __m512i;
  using Wide [[gnu::vector_size(64)]] = int64_t;
  static constexpr uint32_t kLanes = 16;

  static Vector Load(const uint32_t* from) { return _mm512_load_si512(from); }
  static Vector LoadAnywhere(const uint32_t* from) {
    return _mm512_loadu_si512(from);
  }
  static Vector Fill(uint32_t value) {
    return _mm512_set1_epi32(static_cast<int>(value));
  }
  static Vector Add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
  static Vector Subtract(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
  static Vector Xor(Vector a, Vector b, Vector c) {
    return _mm512_ternarylogic_epi32(a, b, c, 0x96);
  }
  static __mmask16 Or(__mmask16 a, __mmask16 b) { return a | b; }
  static Vector Min(Vector a, Vector b) { return _mm512_min_epu32(a, b); }
  static Vector Max(Vector a, Vector b) { return _mm512_max_epu32(a, b); }
  static __mmask16 Equal(Vector a, Vector b) {
    return _mm512_cmpeq_epi32_mask(a, b);
  }
  static Vector Select(__mmask16 mask, Vector yes, Vector no) {
    return _mm512_mask_blend_epi32(mask, no, yes);
  }
  static Vector MultiplyLow(Vector a, Vector b) {
    return _mm512_mul_epu32(a, b);
  }
  static Vector HighHalves(Vector a) { return _mm512_srli_epi64(a, 32); }
  static Vector Weave(Vector even, Vector odd) {
    return _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32));
  }
  static Vector MultiplyHigh(Vector a, Vector b) {
    const Vector even = MultiplyLow(a, b);
    const Vector odd = MultiplyLow(HighHalves(a), HighHalves(b));
    return _mm512_mask_blend_epi32(0xAAAA, HighHalves(even), odd);
  }
  static uint32_t AtMost(Vector a, Vector b) {
    return _mm512_cmple_epu32_mask(a, b);
  }
};

}  // namespace

extern const DrawLanesPath kDrawLanesAvx512 = {"avx512",
                                               LaneKernel<Avx512>::Draw,
                                               LaneKernel<Avx512>::Fill,
                                               LaneKernel<Avx512>::Sort,
                                               LaneKernel<Avx512>::StepOver,
                                               LaneKernel<Avx512>::Lose,
                                               LaneKernel<Avx512>::FindSmall,
                                               LaneKernel<Avx512>::PickSmall};

}  // namespace tributary
