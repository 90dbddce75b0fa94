// Floyd's algorithm and the sorting of what it drew, written once for vectors
// of any width. Included by one source per instruction set; everything is
// static, so that no copy of it is shared between them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_KERNEL_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_KERNEL_H_

#include "sampler_server/engine/draw_lanes.h"

namespace tributary {
namespace {

// `V` is the instruction set: V::Vector holds V::kLanes numbers of 32 bits.
template <typename V>
class LaneKernel {
  using Vector = typename V::Vector;

 public:
  static void Draw(PhiloxKey key, uint32_t k, bool replace, LaneDraws& draws) {
    for (uint32_t lane = 0; lane < kDrawLanes; lane += V::kLanes) {
      replace ? DrawGroup<true>(key, k, lane, draws)
              : DrawGroup<false>(key, k, lane, draws);
    }
  }

  static void Fill(PhiloxKey key, uint32_t count, LaneWords& words) {
    for (uint32_t lane = 0; lane < kDrawLanes; lane += V::kLanes) {
      const Vector local = V::Load(words.local_number + lane);
      const Vector tree = V::Load(words.tree + lane);
      Vector* const row = reinterpret_cast<Vector*>(words.word + lane);
      for (uint32_t i = 0; i < count; i += 4) {
        const Words block = Philox(key, i / 4, local, tree);
        for (uint32_t j = 0; j < 4; ++j) At(row, i + j) = block.word[j];
      }
    }
  }

  static void Sort(uint32_t count, uint32_t* position) {
    for (uint32_t lane = 0; lane < kDrawLanes; lane += V::kLanes) {
      Vector* const row = reinterpret_cast<Vector*>(position + lane);
      for (uint32_t i = 1; i < count; ++i) Insert(row, i, At(row, i));
    }
  }

 private:
  struct Words {
    Vector word[4];
  };

  template <bool kReplace>
  static void DrawGroup(PhiloxKey key, uint32_t k, uint32_t lane,
                        LaneDraws& draws) {
    const Vector local = V::Load(draws.local_number + lane);
    const Vector tree = V::Load(draws.tree + lane);
    Vector* const row = reinterpret_cast<Vector*>(draws.position + lane);
    const Vector one = V::Fill(1);
    Vector n = V::Load(draws.degree + lane);
    if (!kReplace) n = V::Subtract(n, V::Fill(k - 1));
    for (uint32_t i = 0; i < k; i += 4) {
      const Words words = Philox(key, i / 4, local, tree);
      for (uint32_t j = 0; j < 4 && i + j < k; ++j) {
        Vector drawn = V::MultiplyHigh(words.word[j], n);
        if (!kReplace) {
          drawn = UnlessTaken(row, i + j, drawn, V::Subtract(n, one));
          n = V::Add(n, one);
        }
        Insert(row, i + j, drawn);
      }
    }
  }

  // Rows of the same lanes are kDrawLanes numbers apart.
  static Vector& At(Vector* row, uint32_t i) {
    return row[i * (kDrawLanes / V::kLanes)];
  }

  // `drawn`; `otherwise` in lanes whose first `count` rows hold it already.
  static Vector UnlessTaken(Vector* row, uint32_t count, Vector drawn,
                            Vector otherwise) {
    auto taken = V::Equal(drawn, otherwise);  // the same then
    for (uint32_t j = 0; j < count; ++j) {
      taken = V::Or(taken, V::Equal(At(row, j), drawn));
    }
    return V::Select(taken, otherwise, drawn);
  }

  // Into the first `count` rows, which ascend, so that they still do.
  static void Insert(Vector* row, uint32_t count, Vector value) {
    for (uint32_t j = 0; j < count; ++j) {
      const Vector before = At(row, j);
      At(row, j) = V::Min(before, value);
      value = V::Max(before, value);
    }
    At(row, count) = value;
  }

  // Words 4 * block to 4 * block + 3 of each lane's node. Numbers sit in the
  // low halves of 64 bits, where multiplication wants them, even lanes in one
  // vector and odd ones in another; high halves hold rubbish meanwhile.
  static Words Philox(PhiloxKey key, uint32_t block, Vector local,
                      Vector tree) {
    Vector even[4] = {V::Fill(block), local, tree, V::Fill(0)};
    Vector odd[4] = {V::Fill(block), V::HighHalves(local), V::HighHalves(tree),
                     V::Fill(0)};
    for (int round = 0; round < 10; ++round) {
      const Vector k0 = V::Fill(key.k0), k1 = V::Fill(key.k1);
      Round(even, k0, k1);
      Round(odd, k0, k1);
      key.k0 += 0x9E3779B9;
      key.k1 += 0xBB67AE85;
    }
    Words words;
    for (int j = 0; j < 4; ++j) words.word[j] = V::Weave(even[j], odd[j]);
    return words;
  }

  static void Round(Vector (&c)[4], Vector k0, Vector k1) {
    const Vector p0 = V::MultiplyLow(c[0], V::Fill(0xD2511F53));
    const Vector p1 = V::MultiplyLow(c[2], V::Fill(0xCD9E8D57));
    c[0] = V::Xor(V::Xor(V::HighHalves(p1), c[1]), k0);
    c[1] = p1;
    c[2] = V::Xor(V::Xor(V::HighHalves(p0), c[3]), k1);
    c[3] = p0;
  }
};

}  // namespace
}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_LANES_KERNEL_H_
