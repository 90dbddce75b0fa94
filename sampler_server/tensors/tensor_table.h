// The rows of one tensor that a server holds.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_TABLE_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_TABLE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/placement/row_placement.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/shared_mutex.h"
#include "common/tensor/dtype.h"
#include "sampler_server/tensors/memory/zeroed_memory.h"
#include "sampler_server/tensors/values/row_initializer.h"
#include "sampler_server/tensors/values/sparse_optimizer.h"

namespace tributary {

struct TensorShape {
  std::string name;
  uint64_t num_rows = 0;
  uint32_t dim = 0;  // 0: one value per row
  DType dtype = DType::kFloat32;

  size_t width() const { return dim == 0 ? 1 : dim; }
  size_t row_bytes() const { return width() * DTypeSize(dtype); }
};

// Values and, on demand, an optimizer's state of the rows of one member. Rows
// are given as their places on this server (RowPlacement::LocalRow); the caller
// has checked that they are below local_rows().
//
// Each row is read and written whole: blocks of 64 rows are spread over 16
// locks, each for any number of readers or one writer. What several rows hold
// together is not one state. Memory is reserved by the caller, and committed
// when it is written. Thread-safe.
class TensorTable {
 public:
  using Rows = absl::Span<const uint64_t>;

  // Where the rows of a server are; `placement` has the member.
  struct Place {
    std::shared_ptr<const RowPlacement> placement;
    uint32_t member = 0;
  };

  // The object itself, with the names and the specification that a server keeps
  // beside it.
  static constexpr size_t kFixedBytes = 4096;
  // Returns the bytes of the table without optimizer, and those that one adds:
  // whole pages of memory.
  static size_t BytesOf(const TensorShape& shape, const Place& place);
  static size_t OptimizerBytes(const TensorShape& shape, const Place& place,
                               OptimizerKind kind);
  // `memory` are the bytes of BytesOf. RESOURCE_EXHAUSTED if the system gives
  // none.
  static absl::StatusOr<std::shared_ptr<TensorTable>> Create(
      TensorShape shape, Place place, const RowInitializer& initial,
      Reservation memory);

  const TensorShape& shape() const { return shape_; }
  const RowPlacement& placement() const { return *place_.placement; }
  const Place& place() const { return place_; }
  uint32_t member() const { return place_.member; }
  uint64_t local_rows() const { return local_rows_; }
  OptimizerKind optimizer() const { return optimizer_; }
  // Bytes reserved for it.
  size_t bytes() const;
  // Returns the number of rows that were ever written.
  uint64_t written_rows() const;
  // The work of copying a row (WorkSlice).
  uint64_t work_per_row() const { return 25 + shape_.row_bytes() / 8; }

  // What a row holds before it is written takes time to compute, unless it is
  // zeros: `initial()` does it, in pieces if need be, and without a lock.
  const RowInitializer& initial() const { return initial_; }
  uint64_t RowAt(uint64_t row) const {
    return place_.placement->RowAt(place_.member, row);
  }
  // Returns whether the row holds a value that has to be computed.
  bool HoldsInitial(uint64_t row) const;

  // Copies the rows' values to `out`, one after the other, but for those that
  // HoldsInitial, whose positions are added to `initial`.
  void ReadWritten(Rows rows, uint8_t* out,
                   std::vector<uint32_t>& initial) const;
  // The same, and computes those as well.
  void Read(Rows rows, uint8_t* out) const;
  // Sets the bit of each row that a round after `round` has changed, or that
  // was written since it was applied; all bits without an optimizer. A row that
  // changes between its bit and its reading is only newer.
  void FindChanged(Rows rows, uint64_t round,
                   absl::Span<uint8_t> changed) const;
  // Of a row that comes twice the last value wins. `round` is the number of the
  // round that is open.
  void Set(Rows rows, const uint8_t* values, uint32_t round);
  // A row that comes twice is added twice. `initial` are the rows' initial
  // values, one after the other, as far as a row HoldsInitial; null: they are
  // computed here. Requires CheckAddable(dtype).
  void Add(Rows rows, const uint8_t* values, uint32_t round,
           const uint8_t* initial = nullptr);

  // Adds the state of an optimizer; `memory` are the bytes of OptimizerBytes.
  // Does nothing if it is there. INVALID_ARGUMENT unless the dtype is float32;
  // ALREADY_EXISTS if there is another one's.
  absl::Status AttachOptimizer(OptimizerKind kind, Reservation memory)
      ABSL_NO_THREAD_SAFETY_ANALYSIS;  // takes all stripes in a loop
  // Steps one row by its gradient [width]; `initial` as in Add. Requires an
  // optimizer.
  void Step(uint64_t row, const float* gradient, const OptimizerStep& step,
            uint32_t round, const uint8_t* initial = nullptr);
  // Brings a row and its state towards the cache, for a Step that comes soon.
  void PrefetchStep(uint64_t row) const;
  // Forgets which round has changed which row, as a new attempt counts anew.
  // Returns the memory that said so, which takes time to give back.
  ZeroedMemory ForgetRounds() ABSL_NO_THREAD_SAFETY_ANALYSIS;  // as above

  // Returns the bytes of a row in exports: its number, values, and the state of
  // `state`, as ExportRows in tensors.proto says. The state in exports is that
  // of the table's optimizer, or none (kNone); the caller fixes which before it
  // makes room, because another may attach an optimizer meanwhile.
  size_t ExportRowBytes(OptimizerKind state) const;
  // Returns up to `max_rows` places, ascending, of rows that were ever written,
  // from `*cursor` on, which it moves; local_rows() at the end. Looks at
  // `max_blocks` blocks of rows, so it may return none before the end.
  std::vector<uint64_t> WrittenFrom(uint64_t* cursor, size_t max_rows,
                                    uint64_t max_blocks) const;
  // Writes rows `begin` to `end` of the export of `rows` to their places in
  // `page` (rows.size() * ExportRowBytes).
  void Export(Rows rows, size_t begin, size_t end, OptimizerKind state,
              uint8_t* page) const;
  // INVALID_ARGUMENT if an export's values and state, which follow its row
  // numbers, have steps beyond 32 bits.
  absl::Status CheckImport(Rows rows, OptimizerKind state,
                           const uint8_t* data) const;
  // Sets rows `begin` to `end` from those. Requires CheckImport.
  void Import(Rows rows, size_t begin, size_t end, OptimizerKind state,
              const uint8_t* data, uint32_t round);

  struct Copied {
    uint64_t rows = 0;
    uint64_t written = 0;  // of them; the others held the same
  };
  // Sets rows `first` to `first + count`, all of one block, to the values of
  // `from`. Ends before a row that HoldsInitial there and is not the first one
  // with `initial`, its values. Requires equal dtype, shape and placement, and
  // another table.
  Copied CopyRows(const TensorTable& from, uint64_t first, uint64_t count,
                  const uint8_t* initial, uint32_t round)
      ABSL_NO_THREAD_SAFETY_ANALYSIS;  // takes two stripes in their order

 private:
  static constexpr size_t kStripes = 16;
  static constexpr uint64_t kBlock = RowPlacement::kBlockRows;

  TensorTable(TensorShape shape, Place place, const RowInitializer& initial)
      : shape_(std::move(shape)), place_(std::move(place)), initial_(initial) {}

  static size_t StripeOf(uint64_t row) { return row / kBlock % kStripes; }
  // Calls `visit(positions)` once for each stripe of some of `rows`, with the
  // positions of these in ascending order, while its lock is held.
  void ForRead(Rows rows,
               absl::FunctionRef<void(absl::Span<const uint32_t>)> visit) const;
  void ForWrite(Rows rows,
                absl::FunctionRef<void(absl::Span<const uint32_t>)> visit);

  uint8_t* ValuesOf(uint64_t row) const {
    return values_.data() + row * shape_.row_bytes();
  }
  bool Written(uint64_t row) const {
    return (written_.As<uint64_t>()[row / kBlock] >> row % kBlock & 1) != 0;
  }
  // These need the row's lock: the first for reading, the others for writing.
  void CopyRow(uint64_t row, uint8_t* out) const;
  // Makes the row hold its initial value, which is `initial` unless null, if it
  // was never written.
  void Prepare(uint64_t row, const uint8_t* initial);
  void Mark(uint64_t row, uint32_t round);
  // Returns whether the row holds the same there, without being written.
  bool SameUnwritten(const TensorTable& from, uint64_t row) const;
  bool CopyRowFrom(const TensorTable& from, uint64_t row,
                   const uint8_t* initial, uint32_t round);
  void ExportState(OptimizerKind kind, uint64_t row, size_t i, size_t num_rows,
                   uint8_t* out) const;
  void ImportState(OptimizerKind kind, uint64_t row, size_t i, size_t num_rows,
                   const uint8_t* state);

  const TensorShape shape_;
  const Place place_;
  const RowInitializer initial_;
  uint64_t local_rows_ = 0;
  // The locks of blocks b with b % kStripes = i, for all that follows. One
  // block's bits of `written_` are one word, so no word has two locks.
  mutable std::array<SharedMutex, kStripes> stripes_;
  ZeroedMemory values_;
  ZeroedMemory written_;                          // a bit per row
  std::array<uint64_t, kStripes> num_written_{};  // bits that are set
  // Changed with all locks held.
  std::atomic<OptimizerKind> optimizer_{OptimizerKind::kNone};
  ZeroedMemory first_;   // Adagrad: sums of squares; Adam: first moments
  ZeroedMemory second_;  // Adam: second moments
  ZeroedMemory steps_;   // Adam: uint32 per row
  ZeroedMemory rounds_;  // uint32 per row: the last round that changed it
  Reservation memory_;
  Reservation optimizer_memory_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TENSOR_TABLE_H_
