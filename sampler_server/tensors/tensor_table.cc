#include "sampler_server/tensors/tensor_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/prefetch.h"
#include "common/text/status.h"
#include "sampler_server/tensors/values/row_values.h"

namespace tributary {
namespace {

// Reading ahead hides the latency of memory behind that many rows' copies.
constexpr size_t kAhead = 12;
constexpr size_t kMostBytesAhead = 512;

void PrefetchRow(const uint8_t* row, size_t bytes) {
  PrefetchBytes(row, std::min(bytes, kMostBytesAhead));
}

uint64_t LocalRowsOf(const TensorShape& shape,
                     const TensorTable::Place& place) {
  return place.placement->LocalRows(place.member, shape.num_rows);
}

size_t FloatsPerRow(OptimizerKind kind, size_t width) {
  if (kind == OptimizerKind::kAdam) return 2 * width;
  return kind == OptimizerKind::kAdagrad ? width : 0;
}

// The positions of rows by stripe, each stripe's ascending.
template <size_t num_stripes, typename StripeOf>
struct ByStripe {
  ByStripe(TensorTable::Rows rows, StripeOf stripe_of) : order(rows.size()) {
    for (uint64_t row : rows) ++begin[stripe_of(row) + 1];
    for (size_t s = 0; s < num_stripes; ++s) begin[s + 1] += begin[s];
    auto next = begin;
    for (size_t i = 0; i < rows.size(); ++i) {
      order[next[stripe_of(rows[i])]++] = static_cast<uint32_t>(i);
    }
  }
  absl::Span<const uint32_t> of(size_t stripe) const {
    return absl::MakeConstSpan(order).subspan(
        begin[stripe], begin[stripe + 1] - begin[stripe]);
  }
  std::array<size_t, num_stripes + 1> begin{};
  std::vector<uint32_t> order;
};

}  // namespace

size_t TensorTable::BytesOf(const TensorShape& shape, const Place& place) {
  const uint64_t rows = LocalRowsOf(shape, place);
  return kFixedBytes + ZeroedMemory::BytesOf(rows * shape.row_bytes()) +
         ZeroedMemory::BytesOf(rows / 8);
}

size_t TensorTable::OptimizerBytes(const TensorShape& shape, const Place& place,
                                   OptimizerKind kind) {
  const uint64_t rows = LocalRowsOf(shape, place);
  const bool adam = kind == OptimizerKind::kAdam;
  const size_t state = rows * shape.width() * sizeof(float);
  const size_t counts = rows * sizeof(uint32_t);
  return (kind == OptimizerKind::kSgd ? 0 : ZeroedMemory::BytesOf(state)) +
         (adam ? ZeroedMemory::BytesOf(state) : 0) +
         ZeroedMemory::BytesOf(counts) * (adam ? 2 : 1);
}

absl::StatusOr<std::shared_ptr<TensorTable>> TensorTable::Create(
    TensorShape shape, Place place, const RowInitializer& initial,
    Reservation memory) {
  std::shared_ptr<TensorTable> table(
      new TensorTable(std::move(shape), std::move(place), initial));
  table->local_rows_ = LocalRowsOf(table->shape_, table->place_);
  ASSIGN_OR_RETURN(
      table->values_,
      ZeroedMemory::Map(table->local_rows_ * table->shape_.row_bytes()));
  ASSIGN_OR_RETURN(table->written_, ZeroedMemory::Map(table->local_rows_ / 8));
  table->memory_ = std::move(memory);
  return table;
}

size_t TensorTable::bytes() const {
  ReaderLock lock(stripes_[0]);
  return memory_.bytes() + optimizer_memory_.bytes();
}

void TensorTable::ForRead(
    Rows rows,
    absl::FunctionRef<void(absl::Span<const uint32_t>)> visit) const {
  const ByStripe<kStripes, decltype(&StripeOf)> by_stripe(rows, &StripeOf);
  for (size_t s = 0; s < kStripes; ++s) {
    const auto positions = by_stripe.of(s);
    if (positions.empty()) continue;
    ReaderLock lock(stripes_[s]);
    visit(positions);
  }
}

void TensorTable::ForWrite(
    Rows rows, absl::FunctionRef<void(absl::Span<const uint32_t>)> visit) {
  const ByStripe<kStripes, decltype(&StripeOf)> by_stripe(rows, &StripeOf);
  for (size_t s = 0; s < kStripes; ++s) {
    const auto positions = by_stripe.of(s);
    if (positions.empty()) continue;
    WriterLock lock(stripes_[s]);
    visit(positions);
  }
}

uint64_t TensorTable::written_rows() const {
  uint64_t count = 0;
  for (size_t s = 0; s < kStripes; ++s) {
    ReaderLock lock(stripes_[s]);
    count += num_written_[s];
  }
  return count;
}

void TensorTable::CopyRow(uint64_t row, uint8_t* out) const {
  if (!initial_.all_zeros() && !Written(row)) {
    return initial_.Fill(RowAt(row), out);
  }
  std::memcpy(out, ValuesOf(row), shape_.row_bytes());
}

void TensorTable::Prepare(uint64_t row, const uint8_t* initial) {
  if (initial_.all_zeros() || Written(row)) return;
  if (initial == nullptr) return initial_.Fill(RowAt(row), ValuesOf(row));
  std::memcpy(ValuesOf(row), initial, shape_.row_bytes());
}

void TensorTable::Mark(uint64_t row, uint32_t round) {
  uint64_t& word = written_.As<uint64_t>()[row / kBlock];
  const uint64_t bit = uint64_t{1} << row % kBlock;
  if ((word & bit) == 0) ++num_written_[StripeOf(row)];
  word |= bit;
  if (rounds_.size() > 0) rounds_.As<uint32_t>()[row] = round;
}

bool TensorTable::HoldsInitial(uint64_t row) const {
  if (initial_.all_zeros()) return false;
  ReaderLock lock(stripes_[StripeOf(row)]);
  return !Written(row);
}

void TensorTable::ReadWritten(Rows rows, uint8_t* out,
                              std::vector<uint32_t>& initial) const {
  const size_t bytes = shape_.row_bytes();
  ForRead(rows, [&](absl::Span<const uint32_t> positions) {
    for (size_t i = 0; i < positions.size(); ++i) {
      if (i + kAhead < positions.size()) {
        PrefetchRow(ValuesOf(rows[positions[i + kAhead]]), bytes);
      }
      const uint64_t row = rows[positions[i]];
      if (!initial_.all_zeros() && !Written(row)) {
        initial.push_back(positions[i]);
        continue;
      }
      std::memcpy(out + positions[i] * bytes, ValuesOf(row), bytes);
    }
  });
}

void TensorTable::Read(Rows rows, uint8_t* out) const {
  std::vector<uint32_t> initial;
  ReadWritten(rows, out, initial);
  for (const uint32_t i : initial) {
    initial_.Fill(RowAt(rows[i]), out + i * shape_.row_bytes());
  }
}

void TensorTable::FindChanged(Rows rows, uint64_t round,
                              absl::Span<uint8_t> changed) const {
  std::fill(changed.begin(), changed.end(), uint8_t{0});
  ForRead(rows, [&](absl::Span<const uint32_t> positions) {
    for (const uint32_t i : positions) {
      const bool is_changed =
          rounds_.size() == 0 || rounds_.As<uint32_t>()[rows[i]] > round;
      if (is_changed) changed[i / 8] |= static_cast<uint8_t>(1 << i % 8);
    }
  });
}

void TensorTable::Set(Rows rows, const uint8_t* values, uint32_t round) {
  const size_t bytes = shape_.row_bytes();
  ForWrite(rows, [&](absl::Span<const uint32_t> positions) {
    for (const uint32_t i : positions) {
      std::memcpy(ValuesOf(rows[i]), values + i * bytes, bytes);
      Mark(rows[i], round);
    }
  });
}

void TensorTable::Add(Rows rows, const uint8_t* values, uint32_t round,
                      const uint8_t* initial) {
  const size_t bytes = shape_.row_bytes();
  ForWrite(rows, [&](absl::Span<const uint32_t> positions) {
    for (const uint32_t i : positions) {
      Prepare(rows[i], initial == nullptr ? nullptr : initial + i * bytes);
      AddValues(shape_.dtype, shape_.width(), values + i * bytes,
                ValuesOf(rows[i]));
      Mark(rows[i], round);
    }
  });
}

absl::Status TensorTable::AttachOptimizer(OptimizerKind kind,
                                          Reservation memory) {
  if (shape_.dtype != DType::kFloat32) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an optimizer for tensor '", shape_.name, "' of dtype ",
        std::string(DTypeName(shape_.dtype)), "; optimizers step float32"));
  }
  const size_t state = local_rows_ * shape_.width() * sizeof(float);
  ASSIGN_OR_RETURN(ZeroedMemory first,
                   ZeroedMemory::Map(kind == OptimizerKind::kSgd ? 0 : state));
  const bool adam = kind == OptimizerKind::kAdam;
  ASSIGN_OR_RETURN(ZeroedMemory second, ZeroedMemory::Map(adam ? state : 0));
  ASSIGN_OR_RETURN(
      ZeroedMemory steps,
      ZeroedMemory::Map(adam ? local_rows_ * sizeof(uint32_t) : 0));
  ASSIGN_OR_RETURN(ZeroedMemory rounds,
                   ZeroedMemory::Map(local_rows_ * sizeof(uint32_t)));
  for (SharedMutex& stripe : stripes_) stripe.Lock();
  const OptimizerKind there = optimizer_;
  if (there == OptimizerKind::kNone) {
    first_ = std::move(first);
    second_ = std::move(second);
    steps_ = std::move(steps);
    rounds_ = std::move(rounds);
    optimizer_memory_ = std::move(memory);
    optimizer_ = kind;
  }
  for (SharedMutex& stripe : stripes_) stripe.Unlock();
  if (there == OptimizerKind::kNone || there == kind) return absl::OkStatus();
  return absl::AlreadyExistsError(
      absl::StrCat("tensor '", shape_.name, "' has the optimizer ",
                   OptimizerName(there), ", not ", OptimizerName(kind)));
}

void TensorTable::Step(uint64_t row, const float* gradient,
                       const OptimizerStep& step, uint32_t round,
                       const uint8_t* initial) {
  const size_t width = shape_.width();
  WriterLock lock(stripes_[StripeOf(row)]);
  Prepare(row, initial);
  auto* const w = reinterpret_cast<float*>(ValuesOf(row));
  const auto state = [&](ZeroedMemory& of) {
    return of.As<float>() + row * width;
  };
  switch (optimizer_.load()) {
    case OptimizerKind::kNone:
      return;
    case OptimizerKind::kSgd:
      StepSgd(step, width, gradient, w);
      break;
    case OptimizerKind::kAdagrad:
      StepAdagrad(step, width, gradient, w, state(first_));
      break;
    case OptimizerKind::kAdam: {
      uint32_t& steps = steps_.As<uint32_t>()[row];
      if (steps < std::numeric_limits<uint32_t>::max()) ++steps;
      StepAdam(step, steps, width, gradient, w, state(first_), state(second_));
      break;
    }
  }
  Mark(row, round);
}

void TensorTable::PrefetchStep(uint64_t row) const {
  const size_t bytes = shape_.row_bytes();
  PrefetchRow(ValuesOf(row), bytes);
  const OptimizerKind kind = optimizer_;
  if (FloatsPerRow(kind, 1) > 0)
    PrefetchRow(first_.data() + row * bytes, bytes);
  if (kind == OptimizerKind::kAdam) {
    PrefetchRow(second_.data() + row * bytes, bytes);
  }
}

ZeroedMemory TensorTable::ForgetRounds() {
  auto rounds = ZeroedMemory::Map(rounds_.size());
  for (SharedMutex& stripe : stripes_) stripe.Lock();
  if (rounds.ok()) {
    std::swap(rounds_, *rounds);
  } else {
    rounds_.Clear();
  }
  for (SharedMutex& stripe : stripes_) stripe.Unlock();
  return rounds.ok() ? *std::move(rounds) : ZeroedMemory();
}

size_t TensorTable::ExportRowBytes(OptimizerKind state) const {
  return sizeof(uint64_t) + shape_.row_bytes() +
         FloatsPerRow(state, shape_.width()) * sizeof(float) +
         (state == OptimizerKind::kAdam ? sizeof(uint64_t) : 0);
}

std::vector<uint64_t> TensorTable::WrittenFrom(uint64_t* cursor,
                                               size_t max_rows,
                                               uint64_t max_blocks) const {
  std::vector<uint64_t> rows;
  rows.reserve(std::min<uint64_t>(max_rows, local_rows_));
  const uint64_t blocks = local_rows_ / kBlock;
  uint64_t block = *cursor / kBlock;
  const uint64_t last = block + std::min(max_blocks, blocks - block);
  uint64_t skip = *cursor % kBlock;
  for (; block < last; ++block, skip = 0) {
    uint64_t word;
    {
      ReaderLock lock(stripes_[block % kStripes]);
      word = written_.As<uint64_t>()[block];
    }
    for (word = word >> skip << skip; word != 0; word &= word - 1) {
      const uint64_t row =
          block * kBlock + static_cast<uint64_t>(std::countr_zero(word));
      if (rows.size() == max_rows) {
        *cursor = row;
        return rows;
      }
      rows.push_back(row);
    }
  }
  *cursor = block * kBlock;
  return rows;
}

void TensorTable::ExportState(OptimizerKind kind, uint64_t row, size_t i,
                              size_t num_rows, uint8_t* out) const {
  if (FloatsPerRow(kind, 1) == 0) return;
  const size_t width = shape_.width();
  const size_t bytes = width * sizeof(float);
  std::memcpy(out + i * bytes, first_.As<float>() + row * width, bytes);
  if (kind != OptimizerKind::kAdam) return;
  std::memcpy(out + (num_rows + i) * bytes, second_.As<float>() + row * width,
              bytes);
  const uint64_t steps = steps_.As<uint32_t>()[row];
  std::memcpy(out + 2 * num_rows * bytes + i * sizeof(steps), &steps,
              sizeof(steps));
}

void TensorTable::Export(Rows rows, size_t begin, size_t end,
                         OptimizerKind state, uint8_t* page) const {
  for (size_t i = begin; i < end; ++i) {
    const uint64_t row = RowAt(rows[i]);
    std::memcpy(page + i * sizeof(row), &row, sizeof(row));
  }
  uint8_t* const values = page + rows.size() * sizeof(uint64_t);
  uint8_t* const states = values + rows.size() * shape_.row_bytes();
  ForRead(rows.subspan(begin, end - begin),
          [&](absl::Span<const uint32_t> positions) {
            for (const uint32_t position : positions) {
              const size_t i = begin + position;
              CopyRow(rows[i], values + i * shape_.row_bytes());
              ExportState(state, rows[i], i, rows.size(), states);
            }
          });
}

void TensorTable::ImportState(OptimizerKind kind, uint64_t row, size_t i,
                              size_t num_rows, const uint8_t* state) {
  if (FloatsPerRow(kind, 1) == 0) return;
  const size_t width = shape_.width();
  const size_t bytes = width * sizeof(float);
  std::memcpy(first_.As<float>() + row * width, state + i * bytes, bytes);
  if (kind != OptimizerKind::kAdam) return;
  std::memcpy(second_.As<float>() + row * width, state + (num_rows + i) * bytes,
              bytes);
  uint64_t steps;
  std::memcpy(&steps, state + 2 * num_rows * bytes + i * sizeof(steps),
              sizeof(steps));
  steps_.As<uint32_t>()[row] = static_cast<uint32_t>(steps);
}

absl::Status TensorTable::CheckImport(Rows rows, OptimizerKind state,
                                      const uint8_t* data) const {
  if (state != OptimizerKind::kAdam) return absl::OkStatus();
  const uint8_t* const counts =
      data +
      rows.size() * (shape_.row_bytes() + 2 * shape_.width() * sizeof(float));
  for (size_t i = 0; i < rows.size(); ++i) {
    uint64_t steps;
    std::memcpy(&steps, counts + i * sizeof(steps), sizeof(steps));
    if (steps <= std::numeric_limits<uint32_t>::max()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("an imported row of '", shape_.name, "' has made ", steps,
                     " steps of Adam; allowed: 0 to 4294967295"));
  }
  return absl::OkStatus();
}

void TensorTable::Import(Rows rows, size_t begin, size_t end,
                         OptimizerKind state, const uint8_t* data,
                         uint32_t round) {
  const uint8_t* const states = data + rows.size() * shape_.row_bytes();
  ForWrite(rows.subspan(begin, end - begin),
           [&](absl::Span<const uint32_t> positions) {
             for (const uint32_t position : positions) {
               const size_t i = begin + position;
               std::memcpy(ValuesOf(rows[i]), data + i * shape_.row_bytes(),
                           shape_.row_bytes());
               ImportState(state, rows[i], i, rows.size(), states);
               Mark(rows[i], round);
             }
           });
}

bool TensorTable::SameUnwritten(const TensorTable& from, uint64_t row) const {
  return initial_.constant() && initial_.kind() == from.initial_.kind() &&
         !from.Written(row) && !Written(row);
}

// Returns false for a row whose initial value is not given.
bool TensorTable::CopyRowFrom(const TensorTable& from, uint64_t row,
                              const uint8_t* initial, uint32_t round) {
  if (from.Written(row) || from.initial_.all_zeros()) {
    initial = from.ValuesOf(row);
  } else if (initial == nullptr) {
    return false;
  }
  std::memcpy(ValuesOf(row), initial, shape_.row_bytes());
  Mark(row, round);
  return true;
}

TensorTable::Copied TensorTable::CopyRows(const TensorTable& from,
                                          uint64_t first, uint64_t count,
                                          const uint8_t* initial,
                                          uint32_t round) {
  SharedMutex& theirs = from.stripes_[StripeOf(first)];
  SharedMutex& ours = stripes_[StripeOf(first)];
  // In one order whoever copies to whom, so that no two wait for each other.
  const bool from_first = std::less<>()(&from, this);
  if (from_first) theirs.ReaderLock();
  ours.Lock();
  if (!from_first) theirs.ReaderLock();
  Copied copied;
  for (; copied.rows < count; ++copied.rows) {
    const uint64_t row = first + copied.rows;
    // Such rows stay so.
    if (SameUnwritten(from, row)) continue;
    const uint8_t* const given = copied.rows == 0 ? initial : nullptr;
    if (!CopyRowFrom(from, row, given, round)) break;
    ++copied.written;
  }
  ours.Unlock();
  theirs.ReaderUnlock();
  return copied;
}

}  // namespace tributary
