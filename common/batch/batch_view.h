// Reads a batch in place.
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

// The key and tensors of a batch in memory that BatchLayout wrote. Its tensors
// are views: the memory must outlive it. Immutable, copyable, thread-safe.
class BatchView {
 public:
  // Validates all of the header: DATA_LOSS, with the offending value, if the
  // header or a tensor does not fit into `room`, names do not ascend, or sizes
  // disagree.
  static absl::StatusOr<BatchView> Parse(absl::Span<const uint8_t> room);

  const BatchKey& key() const { return key_; }
  // All tensors, names ascending bytewise.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  // Returns the tensor of that name, or null.
  const TensorView* Find(std::string_view name) const;
  // Returns the sum of the tensors' bytes, without header and padding.
  size_t payload_bytes() const;
  // Returns the SHA-256 over the logical payload that docs/sampling.md defines.
  Sha256Digest Digest() const;

 private:
  BatchKey key_;
  std::vector<TensorView> tensors_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_BATCH_BATCH_VIEW_H_
