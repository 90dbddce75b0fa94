// Implements the functions of draw_lanes.h once, for vectors of any width:
// Floyd's algorithm, sorting, and the mass that weighted draws step over.
// Included by one source per instruction set. Everything is static, so that the
// linker shares no copy between instruction sets.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_KERNEL_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_KERNEL_H_

#include "sampler_server/engine/draw/draw_lanes.h"

namespace tributary {
namespace {

// `V` is the instruction set: V::Vector holds V::kLanes numbers of 32 bits,
// V::Wide half as many of 64 bits. Comparisons of V::Wide are signed, as SSE4.2
// has them, and give -1 where they hold.
template <typename V>
class LaneKernel {
  using Vector = typename V::Vector;
  using Wide = typename V::Wide;
  using Unsigned [[gnu::vector_size(sizeof(Wide))]] = uint64_t;
  static constexpr uint32_t kWides =
      kDrawLanes * sizeof(int64_t) / sizeof(Wide);

 public:
  static void Draw(PhiloxKey key, uint32_t k, bool replace, LaneDraws& draws) {
    for (uint32_t lane = 0; lane < kDrawLanes; lane += V::kLanes) {
      replace ? DrawGroup<true>(key, k, lane, draws)
              : DrawGroup<false>(key, k, lane, draws);
    }
  }

  static void Fill(PhiloxKey key, uint32_t first, uint32_t count,
                   LaneWords& words) {
    const RoundKeys keys(key);
    for (uint32_t lane = 0; lane < kDrawLanes; lane += V::kLanes) {
      const Vector local = V::Load(words.local_number + lane);
      const Vector tree = V::Load(words.tree + lane);
      Vector* const row = reinterpret_cast<Vector*>(words.word + lane);
      for (uint32_t i = 0; i < count; i += 4) {
        const Words block = Philox(keys, V::Fill(first + i / 4), local, tree);
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

  static void StepOver(uint32_t count, LaneMass& mass) {
    const Wide* const before = reinterpret_cast<const Wide*>(mass.befores);
    const Wide* const weight = reinterpret_cast<const Wide*>(mass.weights);
    Wide* const unit = reinterpret_cast<Wide*>(mass.unit);
    Wide at[kWides];
    for (uint32_t w = 0; w < kWides; ++w) at[w] = unit[w];
    for (uint32_t i = 0; i < count; ++i) {
      for (uint32_t w = 0; w < kWides; ++w) {
        // Unsigned, since the sums of a damaged file may overflow.
        const Wide lost =
            weight[i * kWides + w] & (at[w] >= before[i * kWides + w]);
        at[w] = reinterpret_cast<Wide>(reinterpret_cast<Unsigned>(at[w]) +
                                       reinterpret_cast<Unsigned>(lost));
      }
    }
    for (uint32_t w = 0; w < kWides; ++w) unit[w] = at[w];
  }

  static void Lose(uint32_t count, LaneMass& mass) {
    Wide* const before = reinterpret_cast<Wide*>(mass.befores);
    Wide* const weight = reinterpret_cast<Wide*>(mass.weights);
    for (uint32_t w = 0; w < kWides; ++w) {
      Wide b = reinterpret_cast<const Wide*>(mass.before)[w];
      Wide lost = reinterpret_cast<const Wide*>(mass.weight)[w];
      for (uint32_t i = w; i < count * kWides; i += kWides) {
        const Wide later = before[i] > b;
        SwapIf(later, before[i], b);
        SwapIf(later, weight[i], lost);
      }
      before[count * kWides + w] = b;
      weight[count * kWides + w] = lost;
    }
  }

  static size_t FindSmall(PhiloxKey key, const uint32_t* low,
                          const uint32_t* high, size_t n, uint32_t limit,
                          uint32_t* places, uint32_t* words) {
    constexpr size_t kAtOnce = kTogether * V::kLanes;
    static_assert(kFindAtOnce % kAtOnce == 0);
    const RoundKeys keys(key);
    size_t count = 0;
    for (size_t i = 0; i < n; i += kAtOnce) {
      alignas(64) uint32_t word[kAtOnce];
      high == nullptr ? SecondWords<true>(keys, low + i, low, word)
                      : SecondWords<false>(keys, low + i, high + i, word);
      uint64_t small = AtMost<kTogether>(word, V::Fill(limit));
      if (n - i < kAtOnce) small &= (uint64_t{1} << (n - i)) - 1;
      for (; small != 0; small &= small - 1) {
        const auto lane = static_cast<uint32_t>(__builtin_ctzll(small));
        places[count] = static_cast<uint32_t>(i) + lane;
        words[count++] = word[lane];
      }
    }
    return count;
  }

  static uint64_t PickSmall(const uint32_t* words, uint32_t count, uint32_t k) {
    constexpr uint32_t kVectors = kMostPicked / V::kLanes;
    const uint64_t all = count < 64 ? (uint64_t{1} << count) - 1 : UINT64_MAX;
    uint64_t picked = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const Vector word = V::Fill(words[i]);
      const uint64_t below = count <= kMostPicked / 2
                                 ? AtMost<kVectors / 2>(words, word)
                                 : AtMost<kVectors>(words, word);
      const int rank = __builtin_popcountll(below & all);
      picked |= uint64_t{rank <= static_cast<int>(k)} << i;
    }
    return picked;
  }

 private:
  static void SwapIf(Wide mask, Wide& a, Wide& b) {
    const Wide changed = (a ^ b) & mask;
    a ^= changed;
    b ^= changed;
  }

  struct Words {
    Vector word[4];
  };
  struct RoundKeys {
    explicit RoundKeys(PhiloxKey key) {
      for (int round = 0; round < 10; ++round) {
        k0[round] = key.k0;
        k1[round] = key.k1;
        key.k0 += 0x9E3779B9;
        key.k1 += 0xBB67AE85;
      }
    }
    uint32_t k0[10], k1[10];
  };

  template <bool kReplace>
  static void DrawGroup(PhiloxKey key, uint32_t k, uint32_t lane,
                        LaneDraws& draws) {
    const Vector local = V::Load(draws.local_number + lane);
    const Vector tree = V::Load(draws.tree + lane);
    const RoundKeys keys(key);
    Vector* const row = reinterpret_cast<Vector*>(draws.position + lane);
    const Vector one = V::Fill(1);
    Vector n = V::Load(draws.degree + lane);
    if (!kReplace) n = V::Subtract(n, V::Fill(k - 1));
    for (uint32_t i = 0; i < k; i += 4) {
      const Words words = Philox(keys, V::Fill(i / 4), local, tree);
      for (uint32_t j = 0; j < 4 && i + j < k; ++j) {
        Vector drawn = V::MultiplyHigh(words.word[j], n);
        if (!kReplace) {
          drawn = UnlessTaken(row, i + j, drawn, V::Subtract(n, one));
          n = V::Add(n, one);
        }
        Insert(row, i + j, drawn);
      }
    }
    if (!kReplace) TakeAllOfSmall(V::Load(draws.degree + lane), k, row);
  }

  // Writes 0, 1, ... up to the last position into lanes of degree <= k.
  static void TakeAllOfSmall(Vector degree, uint32_t k, Vector* row) {
    const Vector most = V::Fill(k), one = V::Fill(1);
    const auto small = V::Equal(V::Max(degree, most), most);
    const Vector last = V::Subtract(V::Max(degree, one), one);
    for (uint32_t j = 0; j < k; ++j) {
      At(row, j) = V::Select(small, V::Min(last, V::Fill(j)), At(row, j));
    }
  }

  // Returns row i of the same lanes; rows are kDrawLanes numbers apart.
  static Vector& At(Vector* row, uint32_t i) {
    return row[i * (kDrawLanes / V::kLanes)];
  }

  // Returns `drawn`, or `otherwise` in lanes whose first `count` rows hold it.
  static Vector UnlessTaken(Vector* row, uint32_t count, Vector drawn,
                            Vector otherwise) {
    auto taken = V::Equal(drawn, otherwise);  // the same then
    for (uint32_t j = 0; j < count; ++j) {
      taken = V::Or(taken, V::Equal(At(row, j), drawn));
    }
    return V::Select(taken, otherwise, drawn);
  }

  // Inserts into the first `count` rows, which ascend, keeping the order.
  static void Insert(Vector* row, uint32_t count, Vector value) {
    for (uint32_t j = 0; j < count; ++j) {
      const Vector before = At(row, j);
      At(row, j) = V::Min(before, value);
      value = V::Max(before, value);
    }
    At(row, count) = value;
  }

  // Computes the four words at each lane's counter (c0, c1, c2, 0). Numbers are
  // kept in the low halves of 64 bits, where multiplication takes them: even
  // lanes in one vector, odd lanes in another. High halves are undefined.
  static Words Philox(const RoundKeys& keys, Vector c0, Vector c1, Vector c2) {
    Vector even[4] = {c0, c1, c2, V::Fill(0)};
    Vector odd[4] = {V::HighHalves(c0), V::HighHalves(c1), V::HighHalves(c2),
                     V::Fill(0)};
    for (int round = 0; round < 10; ++round) {
      const Vector k0 = V::Fill(keys.k0[round]), k1 = V::Fill(keys.k1[round]);
      Round(even, k0, k1);
      Round(odd, k0, k1);
    }
    Words words;
    for (int j = 0; j < 4; ++j) words.word[j] = V::Weave(even[j], odd[j]);
    return words;
  }

  // As many vectors of ids wait for each other's products; the words of more
  // would not stay in registers.
  static constexpr uint32_t kTogether = V::kLanes >= 16 ? 2 : 1;

  // A bit for each of so many vectors' words that is at most `most`'s.
  template <uint32_t kVectors>
  static uint64_t AtMost(const uint32_t* word, Vector most) {
    uint64_t small = 0;
    for (uint32_t v = 0; v < kVectors; ++v) {
      const Vector words = V::LoadAnywhere(word + v * V::kLanes);
      small |= uint64_t{V::AtMost(words, most)} << (v * V::kLanes);
    }
    return small;
  }

  // Word 1 at the counters (low, high or 0, 0, 0). The first two rounds have
  // zeros to multiply, the last two products that this word does not take.
  template <bool kNarrow>
  static void SecondWords(const RoundKeys& keys, const uint32_t* low,
                          const uint32_t* high, uint32_t* word) {
    constexpr uint32_t kLists = 2 * kTogether;  // even lanes and odd ones
    const Vector m0 = V::Fill(0xD2511F53), m1 = V::Fill(0xCD9E8D57);
    Vector c[kLists][4];
#pragma GCC unroll 8
    for (uint32_t i = 0; i < kLists; ++i) {
      const uint32_t from = i / 2 * V::kLanes;
      Vector c0 = V::LoadAnywhere(low + from);
      Vector c1 = kNarrow ? V::Fill(0) : V::LoadAnywhere(high + from);
      if (i % 2 == 1) c0 = V::HighHalves(c0);
      if (i % 2 == 1 && !kNarrow) c1 = V::HighHalves(c1);
      const Vector p0 = V::MultiplyLow(c0, m0);
      const Vector two = V::HighHalves(p0) ^ V::Fill(keys.k1[0]);
      const Vector q0 = V::MultiplyLow(c1 ^ V::Fill(keys.k0[0]), m0);
      const Vector q1 = V::MultiplyLow(two, m1);
      c[i][0] = V::HighHalves(q1) ^ V::Fill(keys.k0[1]);
      c[i][1] = q1;
      c[i][2] = V::Xor(p0, V::HighHalves(q0), V::Fill(keys.k1[1]));
      c[i][3] = q0;
    }
    for (int round = 2; round < 8; ++round) {
      const Vector k0 = V::Fill(keys.k0[round]), k1 = V::Fill(keys.k1[round]);
#pragma GCC unroll 8
      for (uint32_t i = 0; i < kLists; ++i) Round(c[i], k0, k1);
    }
#pragma GCC unroll 8
    for (uint32_t i = 0; i < kLists; ++i) {
      const Vector p0 = V::MultiplyLow(c[i][0], m0);
      c[i][2] = V::Xor(V::HighHalves(p0), c[i][3], V::Fill(keys.k1[8]));
    }
#pragma GCC unroll 8
    for (uint32_t v = 0; v < kTogether; ++v) {
      *reinterpret_cast<Vector*>(word + v * V::kLanes) = V::Weave(
          V::MultiplyLow(c[2 * v][2], m1), V::MultiplyLow(c[2 * v + 1][2], m1));
    }
  }

  static void Round(Vector (&c)[4], Vector k0, Vector k1) {
    const Vector p0 = V::MultiplyLow(c[0], V::Fill(0xD2511F53));
    const Vector p1 = V::MultiplyLow(c[2], V::Fill(0xCD9E8D57));
    c[0] = V::Xor(V::HighHalves(p1), c[1], k0);
    c[1] = p1;
    c[2] = V::Xor(V::HighHalves(p0), c[3], k1);
    c[3] = p0;
  }
};

}  // namespace
}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_DRAW_LANES_KERNEL_H_
