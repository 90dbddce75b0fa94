#include "trainer_client/torch/tasks/input_order.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<std::vector<size_t>> InputOrder(
    absl::Span<const uint64_t> input_numbers) {
  std::vector<size_t> order(input_numbers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return input_numbers[a] < input_numbers[b];
  });
  for (size_t i = 1; i < order.size(); ++i) {
    const uint64_t number = input_numbers[order[i]];
    if (number == input_numbers[order[i - 1]]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input ", number,
          " was evaluated twice; a metric counts each input once"));
    }
  }
  return order;
}

}  // namespace tributary
