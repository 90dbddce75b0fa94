#include <immintrin.h>

#include "sampler_server/engine/draw/draw_lanes_kernel.h"
#include "sampler_server/engine/draw/draw_lanes_paths.h"

namespace tributary {
namespace {

struct Avx2 {
  using Vector = __m256i;
  using Wide [[gnu::vector_size(32)]] = int64_t;
  static constexpr uint32_t kLanes = 8;

  static Vector Load(const uint32_t* from) {
    return _mm256_load_si256(reinterpret_cast<const Vector*>(from));
  }
  static Vector LoadAnywhere(const uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const Vector*>(from));
  }
  static Vector Fill(uint32_t value) {
    return _mm256_set1_epi32(static_cast<int>(value));
  }
  static Vector Add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  static Vector Subtract(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
  static Vector Xor(Vector a, Vector b, Vector c) {
    return _mm256_xor_si256(_mm256_xor_si256(a, b), c);
  }
  static Vector Or(Vector a, Vector b) { return _mm256_or_si256(a, b); }
  static Vector Min(Vector a, Vector b) { return _mm256_min_epu32(a, b); }
  static Vector Max(Vector a, Vector b) { return _mm256_max_epu32(a, b); }
  static Vector Equal(Vector a, Vector b) { return _mm256_cmpeq_epi32(a, b); }
  static Vector Select(Vector mask, Vector yes, Vector no) {
    return _mm256_blendv_epi8(no, yes, mask);
  }
  // 64-bit products of the low halves; the high halves, shifted down.
  static Vector MultiplyLow(Vector a, Vector b) {
    return _mm256_mul_epu32(a, b);
  }
  static Vector HighHalves(Vector a) { return _mm256_srli_epi64(a, 32); }
  // The low halves of `even` and `odd` in turn.
  static Vector Weave(Vector even, Vector odd) {
    return _mm256_blend_epi16(even, _mm256_slli_epi64(odd, 32), 0xCC);
  }
  // The high 32 bits of each lane's product.
  static Vector MultiplyHigh(Vector a, Vector b) {
    const Vector even = MultiplyLow(a, b);
    const Vector odd = MultiplyLow(HighHalves(a), HighHalves(b));
    return _mm256_blend_epi16(HighHalves(even), odd, 0xCC);
  }
  // A bit for each lane.
  static uint32_t AtMost(Vector a, Vector b) {
    return static_cast<uint32_t>(
        _mm256_movemask_ps(_mm256_castsi256_ps(Equal(Min(a, b), a))));
  }
};

}  // namespace

extern const DrawLanesPath kDrawLanesAvx2 = {"avx2",
                                             LaneKernel<Avx2>::Draw,
                                             LaneKernel<Avx2>::Fill,
                                             LaneKernel<Avx2>::Sort,
                                             LaneKernel<Avx2>::StepOver,
                                             LaneKernel<Avx2>::Lose,
                                             LaneKernel<Avx2>::FindSmall,
                                             LaneKernel<Avx2>::PickSmall};

}  // namespace tributary
