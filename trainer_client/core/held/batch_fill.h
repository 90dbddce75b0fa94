// Fills in what was left out of a batch.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_HELD_BATCH_FILL_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_HELD_BATCH_FILL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/batch/batch_view.h"
#include "common/batch/compact/compact_expander.h"
#include "common/batch/left_out.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/held/held_rows.h"
#include "trainer_client/core/held/held_view.h"

namespace tributary {

// How filling ends.
struct FillEnd {
  // DATA_LOSS: the server left out what it must not, or other rows than it
  // says; nothing that this trainer holds is at fault.
  absl::Status status;
  // A held row that is damaged; `status` names it then.
  struct Row {
    int node_type = 0;
    uint32_t rank = 0;
  };
  std::optional<Row> damaged;
  uint64_t compact_bytes = 0;  // that compact edges did without
};

// Moves the rows that came to their places, puts held rows and their original
// ids between them, and compares every held row with its CRC32C and all of them
// with the sum that the server has sent. Expands compact edges. The batch is
// then the same bytes as if nothing had been left out. Works in steps, since a
// batch has a hundred megabytes. For one thread at a time.
class BatchFill {
 public:
  // `room`: the batch's slot, of its whole size; `held`: what the credit named,
  // perhaps nothing. Both outlive the object. `compact`: the credit says that
  // edges may be.
  BatchFill(absl::Span<uint8_t> room, LeftOut left_out, const HeldView& held,
            bool compact = false);
  ~BatchFill();

  // Does some of the work: a few hundred microseconds. Returns the end once
  // there is one; the object is of no further use then.
  std::optional<FillEnd> Step();

 private:
  class TypeFill;

  absl::Status Begin();
  absl::Status FindCompactEdges(const BatchView& batch);
  // Returns how many of a tensor's first bytes were left out.
  size_t LeftOutOfTensor(const TensorView& tensor) const;
  absl::Status CheckGaps() const;

  const absl::Span<uint8_t> room_;
  const LeftOut left_out_;
  const HeldView& held_;
  const bool compact_;
  bool begun_ = false;
  std::vector<BatchGap> compact_gaps_;
  std::vector<std::unique_ptr<CompactExpander>> edges_;
  size_t next_edges_ = 0;
  std::vector<std::unique_ptr<TypeFill>> types_;
  size_t next_ = 0;
  uint64_t crcs_ = 0;
};

// Fills a batch in, step by step on the executor, and calls `done` there.
// `memory` owns the room.
void FillBatch(Executor* executor, absl::Span<uint8_t> room, LeftOut left_out,
               std::shared_ptr<const HeldView> held, bool compact,
               std::shared_ptr<const void> memory,
               absl::AnyInvocable<void(FillEnd)> done);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_HELD_BATCH_FILL_H_
