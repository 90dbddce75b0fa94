// The memory layout of a batch: a header, then tensors at 64-byte boundaries.
//
// The server gathers tensors into these bytes, they travel as frames, and the
// trainer reads them in place. Layout, little-endian:
//
//   u64 magic "TRIBATCH"   u32 version   u32 number of tensors
//   u64 epoch   u64 index   u64 total bytes   u8[32] session identity
//   per tensor, names ascending bytewise:
//     u32 name length | name | u8 dtype | u8 dims | u64 per dim | u64 offset
//   zeros to the next multiple of 64, then the tensors, each padded with zeros
//   to a multiple of 64.
//
// A room may lack the first bytes of some tensors, in multiples of 64: then
// what follows them lies so much earlier, and the header still describes the
// whole.
#ifndef TRIBUTARY_COMMON_BATCH_BATCH_LAYOUT_H_
#define TRIBUTARY_COMMON_BATCH_BATCH_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/batch/batch_key.h"
#include "common/batch/left_out.h"
#include "common/tensor/dtype.h"
#include "common/tensor/tensor_view.h"

namespace tributary {

// Computes the layout of one batch and writes its header. A "room" is the
// memory that holds the batch; the caller owns it. Call Add for every tensor,
// then Finish, then the writing methods. Not thread-safe until Finish has
// returned.
class BatchLayout {
 public:
  explicit BatchLayout(const BatchKey& key) : key_(key) {}

  // Adds a tensor and returns its handle for Tensor(). Names are unique and
  // have at most 1024 bytes.
  int Add(std::string name, DType dtype, Shape shape);
  // The receiver has `rows` rows of the tensor, at least one: rooms lack
  // LeftOutOf() of the tensor's first bytes, as many as these rows have.
  // Requires that the tensor has so many rows. Comes before Finish().
  void LeaveOut(int handle, size_t rows);
  // Rooms lack the tensor's first `bytes`, a multiple of 64, and what is in
  // place of the others is the caller's. Comes before Finish().
  void LeaveOutBytes(int handle, size_t bytes);
  // Assigns the offsets; returns the total number of bytes, header included.
  size_t Finish();
  size_t total_bytes() const { return total_bytes_; }
  // Of a room: without what is left out.
  size_t room_bytes() const { return room_bytes_; }
  // What is left out, in offsets of the whole batch.
  std::vector<BatchGap> gaps() const;

  // Writes the header and every padding byte. Requires Finish(), and a 64-byte
  // aligned room with room.size() >= room_bytes().
  void WriteHeader(absl::Span<uint8_t> room) const;
  // Returns the bytes of a tensor in `room`, without those that the receiver
  // has. Requires Finish().
  absl::Span<uint8_t> Tensor(int handle, absl::Span<uint8_t> room) const;

 private:
  struct Entry {
    std::string name;
    DType dtype;
    Shape shape;
    size_t bytes;
    size_t offset;       // in the whole batch
    size_t known;        // of its first bytes: the receiver has them
    size_t room_offset;  // of what follows them

    size_t room_bytes() const { return bytes - known; }
  };

  BatchKey key_;
  std::vector<Entry> entries_;  // in the order of Add
  std::vector<int> by_name_;    // handles, names ascending
  size_t header_bytes_ = 0;
  size_t total_bytes_ = 0;
  size_t room_bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_LAYOUT_H_
