#include "sampler_server/tensors/table_steps.h"

#include <algorithm>
#include <utility>

namespace tributary {
namespace {

// The work of looking whether a row is one to be copied.
constexpr uint64_t kLookAtRow = 4;
// That of taking the locks of a block.
constexpr uint64_t kLockBlock = 80;

}  // namespace

bool InitialFill::Step(const TensorTable& table, uint64_t row, uint8_t* out,
                       WorkSlice& slice) {
  const RowInitializer& initial = table.initial();
  if (row != row_) column_ = 0;
  row_ = row;
  const size_t count =
      slice.Fitting(initial.width() - column_, initial.work_per_value());
  initial.Fill(table.RowAt(row), column_, column_ + count, out);
  slice.Spend(count * initial.work_per_value());
  column_ += count;
  if (column_ < initial.width()) return false;
  column_ = 0;
  return true;
}

bool TableRead::Step(WorkSlice& slice) {
  while (FillInitial(slice)) {
    if (next_ == rows_.size()) return true;
    if (slice.used_up()) return false;
    CopyPiece(slice);
  }
  return false;
}

void TableRead::CopyPiece(WorkSlice& slice) {
  size_t count =
      slice.Fitting(rows_.size() - next_, table_->work_per_row() + kLookAtRow);
  // The bits of a piece are whole bytes.
  if (only_changed_) {
    count = std::min(rows_.size() - next_, std::max<size_t>(8, count / 8 * 8));
  }
  piece_ = absl::MakeConstSpan(rows_).subspan(next_, count);
  if (only_changed_) piece_ = ChangedOf(next_, count);
  piece_at_ = copied_;
  table_->ReadWritten(piece_, out_ + copied_ * table_->shape().row_bytes(),
                      initial_);
  slice.Spend(count * kLookAtRow +
              (piece_.size() - initial_.size()) * table_->work_per_row());
  copied_ += piece_.size();
  next_ += count;
}

TensorTable::Rows TableRead::ChangedOf(size_t begin, size_t count) {
  const auto bits = changed_.subspan(begin / 8, (count + 7) / 8);
  table_->FindChanged(piece_, round_, bits);
  wanted_.clear();
  for (size_t i = 0; i < count; ++i) {
    if ((bits[i / 8] >> i % 8 & 1) != 0) wanted_.push_back(piece_[i]);
  }
  return wanted_;
}

// A row that is written meanwhile is read as it was when its piece was copied.
bool TableRead::FillInitial(WorkSlice& slice) {
  while (!initial_.empty()) {
    const uint32_t i = initial_.back();
    uint8_t* const out = out_ + (piece_at_ + i) * table_->shape().row_bytes();
    if (!fill_.Step(*table_, piece_[i], out, slice)) return false;
    initial_.pop_back();
  }
  return true;
}

TableWrite::TableWrite(std::shared_ptr<TensorTable> table,
                       std::vector<uint64_t> rows, const uint8_t* values,
                       bool adds, uint32_t round)
    : table_(std::move(table)),
      rows_(std::move(rows)),
      values_(values),
      adds_(adds),
      round_(round),
      initial_(ScratchBytes(*table_, rows_.size(), adds)) {}

size_t TableWrite::ScratchBytes(const TensorTable& table, size_t num_rows,
                                bool adds) {
  if (!adds || num_rows == 0 || table.initial().all_zeros()) return 0;
  const size_t row_bytes = table.shape().row_bytes();
  return row_bytes *
         std::min(num_rows, std::max<size_t>(1, kInitialBytes / row_bytes));
}

bool TableWrite::Step(WorkSlice& slice) {
  const size_t bytes = table_->shape().row_bytes();
  while (next_ < rows_.size()) {
    if (slice.used_up() || !PrepareInitial(slice)) return false;
    const uint64_t work = 2 * table_->work_per_row();
    const size_t count = initial_.empty()
                             ? slice.Fitting(rows_.size() - next_, work)
                             : prepared_;
    const auto rows = absl::MakeConstSpan(rows_).subspan(next_, count);
    const uint8_t* const values = values_ + next_ * bytes;
    if (adds_) {
      table_->Add(rows, values, round_,
                  initial_.empty() ? nullptr : initial_.data());
    } else {
      table_->Set(rows, values, round_);
    }
    slice.Spend(count * work);
    next_ += count;
    prepared_ = 0;
  }
  return true;
}

// Computes the initial values that the next rows need, of as many rows as there
// is memory for.
bool TableWrite::PrepareInitial(WorkSlice& slice) {
  if (initial_.empty()) return true;
  const size_t bytes = table_->shape().row_bytes();
  const size_t most = std::min(rows_.size() - next_, initial_.size() / bytes);
  while (prepared_ < most) {
    if (slice.used_up()) return false;
    const uint64_t row = rows_[next_ + prepared_];
    slice.Spend(kLookAtRow);
    if (table_->HoldsInitial(row) &&
        !fill_.Step(*table_, row, initial_.data() + prepared_ * bytes, slice)) {
      return false;
    }
    ++prepared_;
  }
  return true;
}

TableCopy::TableCopy(std::shared_ptr<const TensorTable> from,
                     std::shared_ptr<TensorTable> to, uint32_t round)
    : from_(std::move(from)),
      to_(std::move(to)),
      round_(round),
      initial_(ScratchBytes(*from_)) {}

size_t TableCopy::ScratchBytes(const TensorTable& from) {
  return from.initial().all_zeros() ? 0 : from.shape().row_bytes();
}

bool TableCopy::Step(WorkSlice& slice) {
  if (from_ == to_) return true;
  while (next_ < to_->local_rows()) {
    if (slice.used_up() || !CopySome(slice)) return false;
  }
  return true;
}

bool TableCopy::CopySome(WorkSlice& slice) {
  constexpr uint64_t kBlock = RowPlacement::kBlockRows;
  const uint64_t block = next_ / kBlock * kBlock;
  // The last block may have places beyond the tensor.
  const uint64_t end =
      block + std::min(kBlock, to_->shape().num_rows - to_->RowAt(block));
  if (next_ >= end) {
    next_ = block + kBlock;
    return true;
  }
  const uint64_t count =
      slice.Fitting(end - next_, kLookAtRow + to_->work_per_row());
  const auto copied = to_->CopyRows(
      *from_, next_, count, has_initial_ ? initial_.data() : nullptr, round_);
  slice.Spend(kLockBlock + copied.rows * kLookAtRow +
              copied.written * to_->work_per_row());
  has_initial_ = has_initial_ && copied.rows == 0;
  next_ += copied.rows;
  if (copied.rows == count) return true;
  has_initial_ = fill_.Step(*from_, next_, initial_.data(), slice);
  return has_initial_;
}

}  // namespace tributary
