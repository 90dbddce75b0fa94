#include <immintrin.h>

#include "sampler_server/engine/draw/draw_lanes_kernel.h"
#include "sampler_server/engine/draw/draw_lanes_paths.h"

namespace tributary {
namespace {

struct Sse4 {
  using Vector = __m128i;
  using Wide [[gnu::vector_size(16)]] = int64_t;
  static constexpr uint32_t kLanes = 4;

  static Vector Load(const uint32_t* from) {
    return _mm_load_si128(reinterpret_cast<const Vector*>(from));
  }
  static Vector LoadAnywhere(const uint32_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const Vector*>(from));
  }
  static Vector Fill(uint32_t value) {
    return _mm_set1_epi32(static_cast<int>(value));
  }
  static Vector Add(Vector a, Vector b) { return _mm_add_epi32(a, b); }
  static Vector Subtract(Vector a, Vector b) { return _mm_sub_epi32(a, b); }
  static Vector Xor(Vector a, Vector b, Vector c) {
    return _mm_xor_si128(_mm_xor_si128(a, b), c);
  }
  static Vector Or(Vector a, Vector b) { return _mm_or_si128(a, b); }
  static Vector Min(Vector a, Vector b) { return _mm_min_epu32(a, b); }
  static Vector Max(Vector a, Vector b) { return _mm_max_epu32(a, b); }
  static Vector Equal(Vector a, Vector b) { return _mm_cmpeq_epi32(a, b); }
  static Vector Select(Vector mask, Vector yes, Vector no) {
    return _mm_blendv_epi8(no, yes, mask);
  }
  // 64-bit products of the low halves; the high halves, shifted down.
  static Vector MultiplyLow(Vector a, Vector b) { return _mm_mul_epu32(a, b); }
  static Vector HighHalves(Vector a) { return _mm_srli_epi64(a, 32); }
  // The low halves of `even` and `odd` in turn.
  static Vector Weave(Vector even, Vector odd) {
    return _mm_blend_epi16(even, _mm_slli_epi64(odd, 32), 0xCC);
  }
  // The high 32 bits of each lane's product.
  static Vector MultiplyHigh(Vector a, Vector b) {
    const Vector even = MultiplyLow(a, b);
    const Vector odd = MultiplyLow(HighHalves(a), HighHalves(b));
    return _mm_blend_epi16(HighHalves(even), odd, 0xCC);
  }
  // A bit for each lane.
  static uint32_t AtMost(Vector a, Vector b) {
    return static_cast<uint32_t>(
        _mm_movemask_ps(_mm_castsi128_ps(Equal(Min(a, b), a))));
  }
};

}  // namespace

extern const DrawLanesPath kDrawLanesSse4 = {"sse4",
                                             LaneKernel<Sse4>::Draw,
                                             LaneKernel<Sse4>::Fill,
                                             LaneKernel<Sse4>::Sort,
                                             LaneKernel<Sse4>::StepOver,
                                             LaneKernel<Sse4>::Lose,
                                             LaneKernel<Sse4>::FindSmall,
                                             LaneKernel<Sse4>::PickSmall};

}  // namespace tributary
