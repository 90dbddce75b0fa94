#include "common/batch/batch_view.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/batch/batch_header.h"
#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(
      absl::StrCat("batch header is damaged: ", std::string(what)));
}

// Reads little-endian values from the front of the room; fails at its end.
class HeaderReader {
 public:
  explicit HeaderReader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  template <typename T>
  absl::Status Get(T* value) {
    return GetBytes(value, sizeof(T));
  }
  absl::Status GetBytes(void* to, size_t n) {
    if (n > bytes_.size()) return Damaged("it ends early");
    std::memcpy(to, bytes_.data(), n);
    bytes_.remove_prefix(n);
    return absl::OkStatus();
  }

 private:
  absl::Span<const uint8_t> bytes_;
};

absl::StatusOr<std::string> ReadName(HeaderReader& in) {
  uint32_t length = 0;
  RETURN_IF_ERROR(in.Get(&length));
  if (length == 0 || length > kMaxTensorNameBytes) {
    return Damaged(absl::StrCat("tensor name of ", length, " bytes"));
  }
  std::string name(length, '\0');
  RETURN_IF_ERROR(in.GetBytes(name.data(), length));
  return name;
}

// Returns the number of bytes of the tensor. Refuses shapes whose product
// exceeds int64, since other code multiplies shapes too.
absl::StatusOr<size_t> ReadShape(HeaderReader& in, DType dtype, Shape* shape) {
  uint8_t dims = 0;
  RETURN_IF_ERROR(in.Get(&dims));
  if (dims > kMaxTensorDims) return Damaged(absl::StrCat(dims, " dimensions"));
  auto bytes = static_cast<int64_t>(DTypeSize(dtype));
  for (int i = 0; i < dims; ++i) {
    uint64_t dim = 0;
    RETURN_IF_ERROR(in.Get(&dim));
    if (dim > uint64_t{1} << 62 || __builtin_mul_overflow(bytes, dim, &bytes)) {
      return Damaged(absl::StrCat("dimension ", dim));
    }
    shape->push_back(static_cast<int64_t>(dim));
  }
  return static_cast<size_t>(bytes);
}

absl::StatusOr<TensorView> ReadTensor(HeaderReader& in,
                                      absl::Span<const uint8_t> room) {
  TensorView tensor;
  ASSIGN_OR_RETURN(tensor.name, ReadName(in));
  uint8_t code = 0;
  RETURN_IF_ERROR(in.Get(&code));
  const absl::StatusOr<DType> dtype = DTypeFromCode(code);
  if (!dtype.ok()) {
    return Damaged(
        absl::StrCat("tensor ", tensor.name, ": ", dtype.status().message()));
  }
  tensor.dtype = *dtype;
  ASSIGN_OR_RETURN(const size_t bytes,
                   ReadShape(in, tensor.dtype, &tensor.shape));
  uint64_t offset = 0;
  RETURN_IF_ERROR(in.Get(&offset));
  if (offset % kCacheLine != 0 || offset > room.size() ||
      bytes > room.size() - offset) {
    return Damaged(absl::StrCat("tensor ", tensor.name, " of ", bytes,
                                " bytes at ", offset, " in a room of ",
                                room.size()));
  }
  tensor.data = room.subspan(offset, bytes);
  return tensor;
}

}  // namespace

absl::StatusOr<BatchView> BatchView::Parse(absl::Span<const uint8_t> room) {
  HeaderReader in(room);
  uint64_t magic = 0, total = 0;
  uint32_t version = 0, count = 0;
  BatchView view;
  RETURN_IF_ERROR(in.Get(&magic));
  if (magic != kBatchMagic) return Damaged("wrong magic");
  RETURN_IF_ERROR(in.Get(&version));
  if (version != kBatchVersion) {
    return Damaged(
        absl::StrCat("version ", version, ", allowed: ", kBatchVersion));
  }
  RETURN_IF_ERROR(in.Get(&count));
  RETURN_IF_ERROR(in.Get(&view.key_.epoch));
  RETURN_IF_ERROR(in.Get(&view.key_.index));
  RETURN_IF_ERROR(in.Get(&total));
  if (total > room.size()) {
    return Damaged(absl::StrCat(total, " bytes in a room of ", room.size()));
  }
  room = room.first(total);
  RETURN_IF_ERROR(
      in.GetBytes(view.key_.session.data(), view.key_.session.size()));
  for (uint32_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(TensorView tensor, ReadTensor(in, room));
    if (i > 0 && tensor.name <= view.tensors_.back().name) {
      return Damaged(absl::StrCat("tensor ", tensor.name, " out of order"));
    }
    view.tensors_.push_back(std::move(tensor));
  }
  return view;
}

const TensorView* BatchView::Find(std::string_view name) const {
  auto it = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const TensorView& t, std::string_view n) { return t.name < n; });
  return it != tensors_.end() && it->name == name ? &*it : nullptr;
}

size_t BatchView::payload_bytes() const {
  size_t bytes = 0;
  for (const TensorView& tensor : tensors_) bytes += tensor.data.size();
  return bytes;
}

Sha256Digest BatchView::Digest() const {
  Sha256 sha;
  for (const TensorView& tensor : tensors_) {
    sha.UpdateU32(static_cast<uint32_t>(tensor.name.size()));
    sha.Update(tensor.name);
    sha.UpdateU8(static_cast<uint8_t>(tensor.dtype));
    sha.UpdateU8(static_cast<uint8_t>(tensor.shape.size()));
    for (int64_t dim : tensor.shape) sha.UpdateU64(static_cast<uint64_t>(dim));
    sha.Update(tensor.data);
  }
  return sha.Finish();
}

}  // namespace tributary
