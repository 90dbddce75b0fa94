// Fuzzes BatchView: any bytes are either a batch whose tensors lie within them
// or refused.
#include <cstdint>
#include <cstring>

#include "common/batch/batch_view.h"
#include "common/io/buffer.h"
#include "tests/fuzz/must.h"

namespace tributary {
namespace {

void CheckTensor(const TensorView& tensor, absl::Span<const uint8_t> room) {
  Must(tensor.data.data() >= room.data() &&
           tensor.data.data() + tensor.data.size() <= room.data() + room.size(),
       "a tensor lies in the room");
  uint64_t elements = 1;
  for (int64_t dim : tensor.shape) {
    Must(dim >= 0, "no dimension is negative");
    elements *= static_cast<uint64_t>(dim);
  }
  Must(elements * DTypeSize(tensor.dtype) == tensor.data.size(),
       "shape and bytes agree");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  AlignedBuffer room(size);  // as a slot is
  if (size > 0) std::memcpy(room.data(), data, size);
  const auto view = BatchView::Parse(room.span());
  if (!view.ok()) return 0;
  for (const TensorView& tensor : view->tensors()) {
    CheckTensor(tensor, room.span());
    Must(view->Find(tensor.name) == &tensor, "each tensor is found");
  }
  Must(view->tensors().size() <= size, "no more tensors than bytes");
  (void)view->Digest();
  return 0;
}

}  // namespace tributary
