// Keyed permutations with random access: the order of an epoch's inputs.
#ifndef TRIBUTARY_COMMON_RANDOM_PERMUTATION_H_
#define TRIBUTARY_COMMON_RANDOM_PERMUTATION_H_

#include <cstdint>
#include <vector>

#include "common/random/philox.h"

namespace tributary {

// A permutation of 0..n-1: the identity, or one chosen by a key. Up to 2^20
// elements it is a Fisher-Yates shuffle (Knuth, TAOCP 2, 3.4.2 P) held as a
// table of n uint32; above, a balanced Feistel network of 8 rounds with
// cycle-walking (Black & Rogaway, CT-RSA 2002), which takes no memory.
// Immutable and thread-safe.
class Permutation {
 public:
  static constexpr uint64_t kMaxTable = uint64_t{1} << 20;

  static Permutation Identity(uint64_t n) { return Permutation(n); }
  static Permutation Keyed(uint64_t n, PhiloxKey key);

  uint64_t size() const { return n_; }
  // Returns the element at position `i`. Requires i < size().
  uint64_t operator[](uint64_t i) const;

 private:
  // How the permutation is computed.
  enum class Form { kIdentity, kTable, kFeistel };
  explicit Permutation(uint64_t n) : n_(n) {}
  void FillTable(PhiloxKey key);
  uint64_t FeistelOnce(uint64_t x) const;

  uint64_t n_;
  Form form_ = Form::kIdentity;
  std::vector<uint32_t> table_;
  PhiloxKey key_{};
  int half_bits_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_PERMUTATION_H_
