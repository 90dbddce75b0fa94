// Reads and changes of many rows of a table, in steps. Between two steps no
// lock is held, so that others may read and write as well: each row is read
// and written whole, and what several rows hold together is not one state.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_TABLE_STEPS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_TABLE_STEPS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "common/runtime/work_slice.h"
#include "sampler_server/tensors/tensor_table.h"

namespace tributary {

// Each class is for one thread at a time and does its work by Step(), until it
// returns true. Requires a slice that is not used up; does what fits it, and a
// little at least.

// Computes what rows hold before they are written, one row after the other. It
// takes no lock, since it is a pure function of the row's number.
class InitialFill {
 public:
  // Goes on with the row of that place. Returns whether its values are at
  // `out`, which must be the same until then.
  bool Step(const TensorTable& table, uint64_t row, uint8_t* out,
            WorkSlice& slice);

 private:
  uint64_t row_ = 0;
  size_t column_ = 0;
};

// Copies the values of rows, one after the other.
class TableRead {
 public:
  // `out` has room for all rows.
  TableRead(std::shared_ptr<const TensorTable> table,
            std::vector<uint64_t> rows, uint8_t* out)
      : table_(std::move(table)), rows_(std::move(rows)), out_(out) {}
  // Copies only rows that have changed since `round`, and sets their bits in
  // `changed` (TensorTable::FindChanged).
  TableRead(std::shared_ptr<const TensorTable> table,
            std::vector<uint64_t> rows, uint64_t round,
            absl::Span<uint8_t> changed, uint8_t* out)
      : TableRead(std::move(table), std::move(rows), out) {
    only_changed_ = true;
    round_ = round;
    changed_ = changed;
  }

  bool Step(WorkSlice& slice);
  // Returns how many rows are copied.
  size_t num_copied() const { return copied_; }

 private:
  void CopyPiece(WorkSlice& slice);
  // Returns the rows of a piece that have changed.
  TensorTable::Rows ChangedOf(size_t begin, size_t count);
  bool FillInitial(WorkSlice& slice);

  const std::shared_ptr<const TensorTable> table_;
  const std::vector<uint64_t> rows_;
  uint8_t* const out_;
  bool only_changed_ = false;
  uint64_t round_ = 0;
  absl::Span<uint8_t> changed_;
  size_t next_ = 0;
  size_t copied_ = 0;
  // Of the latest piece: its rows if only some are copied, where they begin
  // among those copied, and the positions that have to be computed.
  std::vector<uint64_t> wanted_;
  TensorTable::Rows piece_;
  size_t piece_at_ = 0;
  std::vector<uint32_t> initial_;
  InitialFill fill_;
};

// Sets rows, or adds to them.
class TableWrite {
 public:
  // Bytes of initial values that it computes at a time; a row at least.
  static constexpr size_t kInitialBytes = size_t{64} << 10;

  // `values` has those of all rows.
  TableWrite(std::shared_ptr<TensorTable> table, std::vector<uint64_t> rows,
             const uint8_t* values, bool adds, uint32_t round);
  // Returns the bytes that one with `num_rows` rows needs beside them.
  static size_t ScratchBytes(const TensorTable& table, size_t num_rows,
                             bool adds);

  bool Step(WorkSlice& slice);

 private:
  bool PrepareInitial(WorkSlice& slice);

  const std::shared_ptr<TensorTable> table_;
  const std::vector<uint64_t> rows_;
  const uint8_t* const values_;
  const bool adds_;
  const uint32_t round_;
  size_t next_ = 0;
  std::vector<uint8_t> initial_;  // of rows next_ to ..., by position
  size_t prepared_ = 0;           // rows of them
  InitialFill fill_;
};

// Sets all rows of a table to those of another of equal dtype, shape and
// placement.
class TableCopy {
 public:
  TableCopy(std::shared_ptr<const TensorTable> from,
            std::shared_ptr<TensorTable> to, uint32_t round);
  // Returns the bytes that it needs beside the tables.
  static size_t ScratchBytes(const TensorTable& from);

  bool Step(WorkSlice& slice);

 private:
  // Copies rows of the block of next_. Returns false if the slice is used up
  // before the values of a row are computed.
  bool CopySome(WorkSlice& slice);

  const std::shared_ptr<const TensorTable> from_;
  const std::shared_ptr<TensorTable> to_;
  const uint32_t round_;
  uint64_t next_ = 0;
  std::vector<uint8_t> initial_;  // of row next_, if has_initial_
  bool has_initial_ = false;
  InitialFill fill_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_TABLE_STEPS_H_
