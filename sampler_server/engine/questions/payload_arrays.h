// Arrays of integers in the payloads of questions and answers: little-endian,
// one value after the other, not aligned.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_PAYLOAD_ARRAYS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_PAYLOAD_ARRAYS_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

static_assert(std::endian::native == std::endian::little,
              "payloads are copied from and to memory as they are");

template <typename T>
void AppendLittleEndian(absl::Span<const T> values, std::vector<uint8_t>* to) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  to->insert(to->end(), bytes, bytes + values.size() * sizeof(T));
}

// Copies `values` to `to` and returns the end of the copy.
template <typename T>
uint8_t* CopyLittleEndian(absl::Span<const T> values, uint8_t* to) {
  const size_t bytes = values.size() * sizeof(T);
  if (bytes > 0) std::memcpy(to, values.data(), bytes);
  return to + bytes;
}

// Returns value `index` of an array of T at the beginning of `bytes`, which
// must hold it.
template <typename T>
T ReadLittleEndian(absl::Span<const uint8_t> bytes, size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

// Returns the `count` values of T at the beginning of `bytes`, which must hold
// them.
template <typename T>
std::vector<T> ReadLittleEndianArray(absl::Span<const uint8_t> bytes,
                                     size_t count) {
  std::vector<T> values(count);
  if (count > 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  return values;
}

// Returns the bytes that an id below `num_ids` takes in a packed array: 1 to 8.
inline size_t PackedIdBytes(uint64_t num_ids) {
  const int bits = std::bit_width(num_ids > 0 ? num_ids - 1 : 0);
  return std::max(1, (bits + 7) / 8);
}

// Appends the low `id_bytes` bytes of each id.
inline void AppendPackedIds(absl::Span<const uint64_t> ids, size_t id_bytes,
                            std::vector<uint8_t>* to) {
  const size_t before = to->size();
  to->resize(before + ids.size() * id_bytes);
  uint8_t* at = to->data() + before;
  for (const uint64_t id : ids) {
    std::memcpy(at, &id, id_bytes);
    at += id_bytes;
  }
}

// Returns id `index` of a packed array of `id_bytes` bytes each. Requires 1 to
// 8 bytes.
inline uint64_t ReadPackedId(absl::Span<const uint8_t> bytes, size_t id_bytes,
                             size_t index) {
  uint64_t id = 0;
  std::memcpy(&id, bytes.data() + index * id_bytes, id_bytes);
  return id;
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_QUESTIONS_PAYLOAD_ARRAYS_H_
