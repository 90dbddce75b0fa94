// Batches for tests of what caches save.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TESTING_NODE_BATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TESTING_NODE_BATCH_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/batch/batch_layout.h"
#include "common/batch/batch_view.h"
#include "common/io/buffer.h"

namespace tributary {

// A batch of nodes with zeros as features, and nothing else.
class NodeBatch {
 public:
  NodeBatch(const std::vector<int64_t>& ids, int64_t row_bytes) {
    BatchLayout layout{BatchKey()};
    const auto nodes = static_cast<int64_t>(ids.size());
    const int n_id = layout.Add("n_id", DType::kInt64, {nodes});
    layout.Add("x", DType::kFloat32, {nodes, row_bytes / 4});
    layout.Finish();
    room_ = AlignedBuffer(layout.total_bytes());
    const absl::Span<uint8_t> room(room_.data(), room_.size());
    std::fill(room.begin(), room.end(), 0);
    layout.WriteHeader(room);
    std::memcpy(layout.Tensor(n_id, room).data(), ids.data(),
                ids.size() * sizeof(int64_t));
    auto view = BatchView::Parse(room);
    view_ = *std::move(view);
  }
  const BatchView& view() const { return view_; }

 private:
  AlignedBuffer room_;
  BatchView view_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TESTING_NODE_BATCH_H_
