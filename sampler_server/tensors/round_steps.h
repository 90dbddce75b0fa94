// The step that ends a round of gradients.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_STEPS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "common/runtime/work_slice.h"
#include "sampler_server/tensors/memory/staging_memory.h"
#include "sampler_server/tensors/table_steps.h"
#include "sampler_server/tensors/tensor_table.h"
#include "sampler_server/tensors/values/sparse_optimizer.h"

namespace tributary {

// Gradients of one tensor, of one batch or a part of it.
struct StagedPush {
  std::shared_ptr<TensorTable> table;  // float32, with an optimizer
  uint32_t place = 0;                  // of the batch in the round
  OptimizerStep step;
  std::vector<uint64_t> rows;  // places in the table, ascending, distinct
  const uint8_t* gradients = nullptr;  // float32 [rows.size(), width]
};

// A message's worth of gradients; without pushes where a rank's batch touched
// no row of this server.
struct RoundPart {
  uint32_t rank = 0;
  uint64_t round = 0;
  uint32_t part = 0;
  bool closes = false;  // the rank has no later part
  std::vector<StagedPush> pushes;
  std::shared_ptr<const void> owner;  // of the gradients
  // Bytes that it takes until the round is applied; see BytesOf.
  size_t bytes = 0;
  StagedMemory memory;  // of that many bytes
};

// Sums the gradients of each row and steps it once, in steps: the gradients of
// a row ascending by (place, rank, part, push), beginning with the first one
// itself. The rows of a push ascend, so the pushes are merged, which needs no
// memory for each row. Between two steps of it others may read and write: each
// row is stepped whole. For one thread at a time.
class RoundSteps {
 public:
  RoundSteps(std::vector<RoundPart> parts, uint32_t round);

  // Returns whether all rows are stepped and the parts released.
  bool Step(WorkSlice& slice);

 private:
  // A push, and its next row.
  struct Next {
    uint64_t row;
    std::tuple<uint32_t, uint32_t, uint32_t, size_t> order;
    const StagedPush* push;
    size_t at;
  };

 public:
  // What a push takes while it is merged, in a vector that grows.
  static constexpr size_t kBytesPerPush = 3 * sizeof(Next);

 private:
  // Whether `a` comes after `b`, so that a heap has the next one on top.
  static bool After(const Next& a, const Next& b) {
    return a.row != b.row ? a.row > b.row : a.order > b.order;
  }

  // Each does a little of its part, and returns false once there is no more.
  bool CollectPush(WorkSlice& slice);
  bool AddToHeap(WorkSlice& slice);
  bool SumOrStep(WorkSlice& slice);
  bool ReleasePart(WorkSlice& slice);

  void BeginTable();
  void AddGradient(WorkSlice& slice);
  void Advance();
  void SiftDown();
  void StepRow(WorkSlice& slice);

  std::vector<RoundPart> parts_;
  const uint32_t round_;
  size_t part_ = 0;  // to be collected next, and its push
  size_t push_ = 0;
  std::map<TensorTable*, std::vector<Next>> tables_;  // to be stepped
  TensorTable* table_ = nullptr;  // that is stepped; the following are its
  OptimizerStep step_;
  std::vector<Next> pushes_;  // the first heaped_ are a heap
  size_t heaped_ = 0;
  bool summing_ = false;  // gradients of row_ are in sum_
  uint64_t row_ = 0;
  std::vector<float> sum_;
  bool has_initial_ = false;  // initial_ has row_'s
  std::vector<uint8_t> initial_;
  InitialFill fill_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_STEPS_H_
