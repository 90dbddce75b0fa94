// The hash table behind LocalNumbering: finds the number of an id.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NUMBER_TABLE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NUMBER_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/io/buffer.h"

namespace tributary {

// Uses open addressing with linear probing, and prefetches slots while it looks
// up earlier ids. Two layouts give the same numbers: a roomy one, at most half
// full, whose slots of 8 bytes hold id and number; and a tight one, at most two
// thirds full, whose slots of 4 bytes hold the number and as many bits of the
// id's hash as fit, so that ids are compared in the list beside it. Not
// thread-safe.
class NumberTable {
 public:
  enum class Fit { kRoomy, kTight };
  // Returns the bytes of a table for `size` ids.
  static size_t BytesFor(uint64_t size, Fit fit);

  bool HasRoomFor(uint64_t size) const { return size <= most_size_; }
  size_t bytes() const { return memory_.size(); }

  // Builds a table for `size` ids that gives `ids` the numbers 0, 1, 2, ...
  // Frees the old table first, or uses it again if its memory suffices.
  // Requires at most 2^31 ids, for kRoomy below 2^32 - 1.
  void Rebuild(uint64_t size, Fit fit, absl::Span<const uint64_t> ids);
  // Removes everything; the table has room for nothing until it is rebuilt.
  void Clear() { most_size_ = 0; }

  // Numbers the first `n` of `ids`, prefetching for those behind, and returns
  // how many were new. `ids_by_number` holds the ids of the first `next`
  // numbers and has room for n + 1 more, where new ids are appended. Requires
  // HasRoomFor() all distinct ids.
  size_t Number(absl::Span<const uint64_t> ids, size_t n, size_t next,
                uint64_t* ids_by_number, uint32_t* local);

 private:
  struct RoomySlot {
    uint32_t id;
    uint32_t number;
  };

  size_t NumberRoomy(absl::Span<const uint64_t> ids, size_t n, size_t next,
                     uint64_t* ids_by_number, uint32_t* local);
  size_t NumberTight(absl::Span<const uint64_t> ids, size_t n, size_t next,
                     uint64_t* ids_by_number, uint32_t* local);
  void Insert(uint64_t id, uint32_t number);
  RoomySlot* roomy() { return reinterpret_cast<RoomySlot*>(memory_.data()); }
  uint32_t* tight() { return reinterpret_cast<uint32_t*>(memory_.data()); }

  static uint64_t HashOf(uint64_t id) { return id * 0x9E3779B97F4A7C15u; }
  size_t HomeOf(uint64_t hash) const { return hash >> (64 - bits_); }
  // Returns the bits of the hash that a tight slot keeps above the number.
  uint32_t TagOf(uint64_t hash) const {
    return static_cast<uint32_t>(hash << bits_ >> 32) & ~mask_;
  }

  AlignedBuffer memory_;
  Fit fit_ = Fit::kRoomy;
  uint64_t most_size_ = 0;
  int bits_ = 1;       // 2^bits_ slots are in use
  uint32_t mask_ = 0;  // selects a slot, and the number in a tight slot
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_NUMBER_TABLE_H_
