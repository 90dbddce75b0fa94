#include "common/batch/compact/compact_writer.h"

#include <cstring>

namespace tributary {
namespace {

template <typename T>
uint8_t* Put(uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof(value));  // all hosts are little-endian
  return at + sizeof(value);
}

uint8_t* PutHeader(uint8_t* at, uint8_t number_bytes, size_t runs) {
  at = Put(at, kCompactForm);
  at = Put(at, number_bytes);
  at = Put(at, uint16_t{0});
  return Put(at, static_cast<uint32_t>(runs));
}

}  // namespace

void NeighborMeasure::Add(absl::Span<const uint32_t> neighbors) {
  path_->measure(cursor_, neighbors.data(), neighbors.size());
}

uint32_t NeighborMeasure::Fresh(uint32_t edges, uint8_t number_bytes) const {
  const uint32_t fresh = cursor_.next - first_fresh_;
  const bool pays = fresh == edges ||
                    uint64_t{fresh} * number_bytes > (uint64_t{edges} + 7) / 8;
  return pays ? fresh : 0;
}

CompactEdgeIndex ChooseForm(absl::Span<const MeasuredRun> runs) {
  uint32_t largest = 0;
  for (const MeasuredRun& measured : runs) {
    largest = std::max(largest, measured.neighbors.largest());
  }
  const uint8_t most_bytes = BytesOfNumber(largest);
  CompactEdgeIndex form;
  for (const MeasuredRun& measured : runs) {
    const NeighborMeasure& neighbors = measured.neighbors;
    CompactRun& run = form.runs.emplace_back(measured.run);
    run.fresh = neighbors.Fresh(run.edges, most_bytes);
    if (run.fresh > 0) run.first_fresh = neighbors.first_fresh();
    if (run.numbers() == 0) continue;
    form.number_bytes =
        std::max(form.number_bytes,
                 BytesOfNumber(run.fresh > 0 ? neighbors.largest_known()
                                             : neighbors.largest()));
  }
  return form;
}

EdgeIndexWriter::EdgeIndexWriter(const CompactEdgeIndex& form,
                                 absl::Span<uint8_t> block,
                                 const CompactPath& path)
    : path_(path), run_(form.runs.data()) {
  uint8_t* at = PutHeader(block.data(), form.number_bytes, form.runs.size());
  for (const CompactRun& run : form.runs) {
    at = Put(at, run.edges);
    at = Put(at, run.nodes);
    at = Put(at, run.fresh);
    at = Put(at, run.first_node);
    at = Put(at, run.first_fresh);
    at = Put(at, uint32_t{run.reversed ? 1u : 0u});
  }
  neighbors_.end = block.data() + block.size();
  neighbors_.numbers = neighbors_.end - form.number_stream_bytes();
  neighbors_.number_bytes = form.number_bytes;
  degrees_ = neighbors_.numbers - form.bit_stream_bytes();
  marks_ = degrees_;
  for (const CompactRun& run : form.runs) marks_ += run.degree_bytes();
  std::memset(at, 0, static_cast<size_t>(degrees_ - at));
}

void EdgeIndexWriter::BeginRun() {
  neighbors_.marks = run_->has_marks() ? marks_ : nullptr;
  neighbors_.next = run_->first_fresh;
  bits_ = 0;
  num_bits_ = 0;
}

void EdgeIndexWriter::AppendDegreeBits(uint64_t bits, uint32_t count) {
  bits_ |= bits << num_bits_;
  num_bits_ += count;
  if (num_bits_ < 32) return;
  degrees_ = Put(degrees_, static_cast<uint32_t>(bits_));
  bits_ >>= 32;
  num_bits_ -= 32;
}

void EdgeIndexWriter::AddDegrees(absl::Span<const uint32_t> degrees) {
  constexpr uint32_t kAtOnce = 30;
  for (uint32_t degree : degrees) {
    for (; degree > kAtOnce; degree -= kAtOnce) {
      AppendDegreeBits((uint64_t{1} << kAtOnce) - 1, kAtOnce);
    }
    AppendDegreeBits((uint64_t{1} << degree) - 1, degree + 1);
  }
}

void EdgeIndexWriter::AddNeighbors(absl::Span<const uint32_t> neighbors) {
  if (run_->fresh == run_->edges) return;
  path_.encode(neighbors_, neighbors.data(), neighbors.size());
}

void EdgeIndexWriter::EndRun() {
  std::memcpy(degrees_, &bits_, (num_bits_ + 7) / 8);
  degrees_ += (num_bits_ + 7) / 8;
  marks_ += run_->mark_bytes();
  ++run_;
}

EdgeIdWriter::EdgeIdWriter(uint64_t edges, uint8_t number_bytes,
                           absl::Span<uint8_t> block)
    : number_bytes_(number_bytes),
      numbers_(block.data() + block.size() - edges * number_bytes),
      end_(block.data() + block.size()) {
  uint8_t* const at = PutHeader(block.data(), number_bytes, 0);
  std::memset(at, 0, static_cast<size_t>(numbers_ - at));
}

void EdgeIdWriter::Add(absl::Span<const int64_t> ids) {
  size_t i = 0;
  for (; i < ids.size() &&
         end_ - numbers_ >= static_cast<ptrdiff_t>(sizeof(int64_t));
       ++i) {
    std::memcpy(numbers_, &ids[i], sizeof(int64_t));
    numbers_ += number_bytes_;
  }
  for (; i < ids.size(); ++i) {
    std::memcpy(numbers_, &ids[i], number_bytes_);
    numbers_ += number_bytes_;
  }
}

}  // namespace tributary
