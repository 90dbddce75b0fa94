// A set of ids that tells the rank of each: 2 bits for each id that there may
// be.
#ifndef TRIBUTARY_PARTITION_FORMAT_ROW_SET_H_
#define TRIBUTARY_PARTITION_FORMAT_ROW_SET_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/io/prefetch.h"

namespace tributary {

// Ids of [0, num_ids) as a bitmap with the number of ids before each word, so
// that a look-up reads one cache line. Fill it by Insert, then call Rank.
// Immutable afterwards; then thread-safe.
class RowSet {
 public:
  static constexpr uint64_t kNone = UINT64_MAX;

  RowSet() = default;
  explicit RowSet(uint64_t num_ids)
      : num_ids_(num_ids), words_(num_ids / 64 + 1) {}
  // Returns the bytes that a set of ids below `num_ids` takes.
  static uint64_t BytesFor(uint64_t num_ids) {
    return (num_ids / 64 + 1) * sizeof(Word);
  }

  // Requires id < num_ids. Returns whether it is new.
  bool Insert(uint64_t id) {
    uint64_t& bits = words_[id / 64].bits;
    const uint64_t bit = uint64_t{1} << id % 64;
    const bool is_new = (bits & bit) == 0;
    bits |= bit;
    return is_new;
  }
  // Counts the ids; returns how many there are.
  uint64_t Rank() {
    uint64_t before = 0;
    for (Word& word : words_) {
      word.before = before;
      before += static_cast<uint64_t>(std::popcount(word.bits));
    }
    return before;
  }

  // Returns the number of smaller ids in the set, or kNone if `id` is not in
  // it or is none of [0, num_ids). Requires Rank() after the last Insert.
  uint64_t Find(uint64_t id) const {
    if (id >= num_ids_) return kNone;
    const Word& word = words_[id / 64];
    const uint64_t bit = uint64_t{1} << id % 64;
    if ((word.bits & bit) == 0) return kNone;
    return word.before +
           static_cast<uint64_t>(std::popcount(word.bits & (bit - 1)));
  }
  void Prefetch(uint64_t id) const {
    if (id < num_ids_) tributary::Prefetch<kReadOnce>(&words_[id / 64]);
  }

 private:
  struct Word {
    uint64_t bits = 0;
    uint64_t before = 0;  // ids in the words before this one
  };

  uint64_t num_ids_ = 0;
  std::vector<Word> words_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ROW_SET_H_
