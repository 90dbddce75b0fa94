// How a batch lies in its room: a header, then tensors at 64-byte boundaries.
//
// The same bytes are gathered by the server, travel as frames and are read in
// place by the trainer. Layout, little-endian:
//
//   u64 magic "TRIBATCH"   u32 version   u32 number of tensors
//   u64 epoch   u64 index   u64 total bytes   u8[32] session identity
//   per tensor, names ascending bytewise:
//     u32 name length | name | u8 dtype | u8 dims | u64 per dim | u64 offset
//   zeros to the next multiple of 64, then the tensors, each padded with zeros
//   to a multiple of 64.
#ifndef TRIBUTARY_COMMON_BATCH_BATCH_LAYOUT_H_
#define TRIBUTARY_COMMON_BATCH_BATCH_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/batch/batch_key.h"
#include "common/tensor/dtype.h"
#include "common/tensor/tensor_view.h"

namespace tributary {

// Plans a room. Add all tensors, then Finish, then write.
class BatchLayout {
 public:
  explicit BatchLayout(const BatchKey& key) : key_(key) {}

  // Returns a handle for Tensor(). Names are unique, at most 1024 bytes.
  int Add(std::string name, DType dtype, Shape shape);
  // Sets offsets. The total, header included.
  size_t Finish();
  size_t total_bytes() const { return total_bytes_; }

  // Requires Finish(), and room.size() >= total_bytes(), 64-byte aligned.
  // Writes the header and every padding byte.
  void WriteHeader(absl::Span<uint8_t> room) const;
  // The bytes of a tensor within the room.
  absl::Span<uint8_t> Tensor(int handle, absl::Span<uint8_t> room) const;

 private:
  struct Entry {
    std::string name;
    DType dtype;
    Shape shape;
    size_t bytes;
    size_t offset;
  };

  BatchKey key_;
  std::vector<Entry> entries_;  // in order of Add
  std::vector<int> by_name_;
  size_t header_bytes_ = 0;
  size_t total_bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_LAYOUT_H_
