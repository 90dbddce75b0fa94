// Reads a batch where it lies.
#ifndef TRIBUTARY_COMMON_BATCH_BATCH_VIEW_H_
#define TRIBUTARY_COMMON_BATCH_BATCH_VIEW_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/batch/batch_key.h"
#include "common/hash/sha256.h"
#include "common/tensor/tensor_view.h"

namespace tributary {

// Views into a room that BatchLayout wrote and that outlives the view.
// Immutable, copyable.
class BatchView {
 public:
  // Believes nothing: DATA_LOSS with the offending value when the header lies
  // outside `room`, a tensor does, names do not ascend, or sizes disagree.
  static absl::StatusOr<BatchView> Parse(absl::Span<const uint8_t> room);

  const BatchKey& key() const { return key_; }
  // Names ascending bytewise.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  // Null when the batch has none of that name.
  const TensorView* Find(std::string_view name) const;
  // Sum of the tensors' bytes, without header and padding.
  size_t payload_bytes() const;
  // SHA-256 over the logical payload, as docs/sampling.md defines it.
  Sha256Digest Digest() const;

 private:
  BatchKey key_;
  std::vector<TensorView> tensors_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_VIEW_H_
