#include "trainer_client/core/session/epoch_order.h"

#include <algorithm>

#include "common/random/hop_key.h"

namespace tributary {
namespace {

Permutation MakePermutation(const EpochOrderOptions& options, PhiloxKey key) {
  const bool identity = !options.shuffle || options.weighted != nullptr;
  return identity ? Permutation::Identity(options.num_inputs)
                  : Permutation::Keyed(options.num_inputs, key);
}

}  // namespace

EpochOrder::EpochOrder(const EpochOrderOptions& options, const Cursor& cursor)
    : options_(options),
      start_(cursor),
      key_(MakeOrderKey(options.random_seed, cursor.epoch)),
      begin_(cursor.next_index),
      end_(cursor.next_index + NumBatches(options.num_inputs - cursor.consumed,
                                          options.batch_size,
                                          options.drop_last)),
      permutation_(MakePermutation(options, key_)) {}

void EpochOrder::Limit(uint64_t from, uint64_t to) {
  begin_ = std::clamp(from, begin_, end_);
  end_ = std::clamp(to, begin_, end_);
}

uint64_t EpochOrder::InputsInBatch(uint64_t index) const {
  if (index < begin_ || index >= end_) return 0;
  return std::min(options_.batch_size, options_.num_inputs - PositionOf(index));
}

std::vector<uint64_t> EpochOrder::InputNumbers(uint64_t index) const {
  std::vector<uint64_t> numbers(InputsInBatch(index));
  const uint64_t first = PositionOf(index);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = NumberAt(first + i);
  }
  return numbers;
}

uint64_t EpochOrder::BatchesOfRank() const {
  const uint64_t all = end_ - begin_;
  if (all <= options_.rank) return 0;
  return (all - options_.rank - 1) / options_.world + 1;
}

Cursor EpochOrder::CursorAfter(uint64_t batches) const {
  Cursor cursor = start_;
  const uint64_t left = end_ - begin_;
  const uint64_t rounds = left / options_.world + 1;
  const uint64_t taken =
      std::min(left, std::min(batches, rounds) * options_.world);
  cursor.next_index = begin_ + taken;
  cursor.consumed = std::min(options_.num_inputs, PositionOf(begin_ + taken));
  return cursor;
}

uint64_t EpochOrder::NumBatches(uint64_t num_inputs, uint64_t batch_size,
                                bool drop_last) {
  const bool short_batch = num_inputs % batch_size != 0 && !drop_last;
  return num_inputs / batch_size + (short_batch ? 1 : 0);
}

}  // namespace tributary
