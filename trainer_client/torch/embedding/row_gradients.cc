#include "trainer_client/torch/embedding/row_gradients.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tributary {
namespace {

bool Ascends(absl::Span<const int64_t> ids) {
  return std::adjacent_find(ids.begin(), ids.end(),
                            std::greater_equal<int64_t>()) == ids.end();
}

}  // namespace

DistinctRows DistinctRows::Of(absl::Span<const int64_t> ids) {
  DistinctRows distinct;
  if (Ascends(ids)) {
    distinct.identity = true;
    distinct.rows.assign(ids.begin(), ids.end());
    distinct.count.assign(ids.size(), 1);
    distinct.position.resize(ids.size());
    std::iota(distinct.position.begin(), distinct.position.end(), 0);
    return distinct;
  }
  std::vector<size_t> order(ids.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return ids[a] < ids[b]; });
  distinct.position.resize(ids.size());
  for (const size_t i : order) {
    if (distinct.rows.empty() || distinct.rows.back() != ids[i]) {
      distinct.rows.push_back(ids[i]);
      distinct.count.push_back(0);
    }
    ++distinct.count.back();
    distinct.position[i] = static_cast<int64_t>(distinct.rows.size()) - 1;
  }
  return distinct;
}

void RowGradients::Add(std::vector<int64_t> rows, std::vector<int64_t> count,
                       absl::Span<const float> gradients) {
  if (!sums_.rows.empty()) return Merge(rows, count, gradients);
  sums_.rows = std::move(rows);
  count_ = std::move(count);
  sums_.gradients.assign(gradients.begin(), gradients.end());
}

void RowGradients::Merge(absl::Span<const int64_t> rows,
                         absl::Span<const int64_t> count,
                         absl::Span<const float> gradients) {
  const SummedRows old = std::exchange(sums_, {});
  const std::vector<int64_t> old_count = std::exchange(count_, {});
  const auto append = [&](int64_t row, int64_t n, const float* gradient) {
    sums_.rows.push_back(row);
    count_.push_back(n);
    sums_.gradients.insert(sums_.gradients.end(), gradient, gradient + dim_);
  };
  size_t i = 0, k = 0;
  while (i < old.rows.size() || k < rows.size()) {
    const bool from_old =
        i < old.rows.size() && (k == rows.size() || old.rows[i] <= rows[k]);
    const bool both = from_old && k < rows.size() && old.rows[i] == rows[k];
    if (from_old) {
      append(old.rows[i], old_count[i], old.gradients.data() + i * dim_);
      ++i;
    }
    if (both) {
      float* const sum = sums_.gradients.data() + sums_.gradients.size() - dim_;
      for (size_t c = 0; c < dim_; ++c) sum[c] += gradients[k * dim_ + c];
      count_.back() += count[k];
    } else if (!from_old) {
      append(rows[k], count[k], gradients.data() + k * dim_);
    }
    if (both || !from_old) ++k;
  }
}

SummedRows RowGradients::Take(bool average) {
  for (size_t i = 0; average && i < sums_.rows.size(); ++i) {
    if (count_[i] == 1) continue;
    const auto n = static_cast<float>(count_[i]);
    for (size_t c = 0; c < dim_; ++c) sums_.gradients[i * dim_ + c] /= n;
  }
  count_.clear();
  return std::exchange(sums_, {});
}

}  // namespace tributary
