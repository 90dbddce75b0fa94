#include "common/batch/batch_layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "common/batch/batch_header.h"
#include "common/io/buffer.h"

namespace tributary {
namespace {

class HeaderWriter {
 public:
  explicit HeaderWriter(uint8_t* at) : at_(at) {}
  template <typename T>
  void Put(T value) {
    PutBytes(&value, sizeof(value));  // all hosts are little-endian
  }
  void PutBytes(const void* bytes, size_t n) {
    std::memcpy(at_, bytes, n);
    at_ += n;
  }
  uint8_t* at() const { return at_; }

 private:
  uint8_t* at_;
};

size_t EntryHeaderBytes(const std::string& name, const Shape& shape) {
  return sizeof(uint32_t) + name.size() + 2 + 8 * shape.size() + 8;
}

}  // namespace

int BatchLayout::Add(std::string name, DType dtype, Shape shape) {
  const size_t bytes =
      static_cast<size_t>(NumElements(shape)) * DTypeSize(dtype);
  entries_.push_back(
      {std::move(name), dtype, std::move(shape), bytes, 0, 0, 0});
  return static_cast<int>(entries_.size()) - 1;
}

void BatchLayout::LeaveOut(int handle, size_t rows) {
  Entry& entry = entries_[handle];
  entry.known = rows * (entry.bytes / static_cast<size_t>(entry.shape[0]));
}

void BatchLayout::LeaveOutBytes(int handle, size_t bytes) {
  entries_[handle].known = bytes;
}

size_t BatchLayout::Finish() {
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0);
  std::sort(by_name_.begin(), by_name_.end(), [this](int a, int b) {
    return entries_[a].name < entries_[b].name;
  });
  header_bytes_ = kBatchFixedHeaderBytes;
  for (const Entry& entry : entries_) {
    header_bytes_ += EntryHeaderBytes(entry.name, entry.shape);
  }
  size_t offset = AlignUp(header_bytes_, kCacheLine);
  size_t left_out = 0;
  for (int i : by_name_) {
    Entry& entry = entries_[i];
    entry.offset = offset;
    entry.room_offset =
        offset - left_out + entry.known - LeftOutOf(entry.known);
    offset += AlignUp(entry.bytes, kCacheLine);
    left_out += LeftOutOf(entry.known);
  }
  total_bytes_ = offset;
  room_bytes_ = offset - left_out;
  return total_bytes_;
}

std::vector<BatchGap> BatchLayout::gaps() const {
  std::vector<BatchGap> gaps;
  for (int i : by_name_) {
    const Entry& entry = entries_[i];
    AppendGap({entry.offset, LeftOutOf(entry.known)}, &gaps);
  }
  return gaps;
}

void BatchLayout::WriteHeader(absl::Span<uint8_t> room) const {
  HeaderWriter out(room.data());
  out.Put(kBatchMagic);
  out.Put(kBatchVersion);
  out.Put(static_cast<uint32_t>(entries_.size()));
  out.Put(key_.epoch);
  out.Put(key_.index);
  out.Put(static_cast<uint64_t>(total_bytes_));
  out.PutBytes(key_.session.data(), key_.session.size());
  for (int i : by_name_) {
    const Entry& entry = entries_[i];
    out.Put(static_cast<uint32_t>(entry.name.size()));
    out.PutBytes(entry.name.data(), entry.name.size());
    out.Put(static_cast<uint8_t>(entry.dtype));
    out.Put(static_cast<uint8_t>(entry.shape.size()));
    for (int64_t dim : entry.shape) out.Put(static_cast<uint64_t>(dim));
    out.Put(static_cast<uint64_t>(entry.offset));
    const size_t padding = AlignUp(entry.bytes, kCacheLine) - entry.bytes;
    const size_t end = entry.room_offset + entry.room_bytes();
    std::memset(room.data() + end, 0, padding);
    const size_t rest = entry.known - LeftOutOf(entry.known);
    std::memset(room.data() + entry.room_offset - rest, 0, rest);
  }
  const size_t padded = AlignUp(header_bytes_, kCacheLine);
  std::memset(out.at(), 0, padded - header_bytes_);
}

absl::Span<uint8_t> BatchLayout::Tensor(int handle,
                                        absl::Span<uint8_t> room) const {
  const Entry& entry = entries_[handle];
  return room.subspan(entry.room_offset, entry.room_bytes());
}

}  // namespace tributary
