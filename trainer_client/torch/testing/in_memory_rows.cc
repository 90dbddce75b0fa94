#include "trainer_client/torch/testing/in_memory_rows.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tributary {

class InMemoryRows::OneTensor final : public DistTensor {
 public:
  OneTensor(InMemoryRows* all, int rank, DistTensorOptions options)
      : all_(*all), rank_(rank), options_(std::move(options)) {}

  const DistTensorOptions& options() const override { return options_; }

  absl::Status Read(absl::Span<const int64_t> rows,
                    absl::Span<uint8_t> out) override {
    MutexLock lock(all_.mutex_);
    if (absl::Status s = Check(rows, out.size()); !s.ok()) return s;
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (all_.applied_ < all_.closed_[rank_]) {
      if (all_.applied_changed_.WaitUntil(all_.mutex_, deadline)) continue;
      return absl::DeadlineExceededError("a rank has not closed the round");
    }
    const std::vector<float>& from = all_.values_[name()];
    for (size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(out.data() + i * row_bytes(), &from[rows[i] * width()],
                  row_bytes());
    }
    all_.rows_read_ += rows.size();
    return absl::OkStatus();
  }
  std::unique_ptr<RowPrefetch> Prefetch(absl::Span<const int64_t>) override {
    return std::make_unique<RowPrefetch>();
  }
  absl::Status Read(absl::Span<const int64_t> rows, absl::Span<uint8_t> out,
                    std::unique_ptr<RowPrefetch>) override {
    return Read(rows, out);
  }

  absl::Status Set(absl::Span<const int64_t> rows,
                   absl::Span<const uint8_t> values) override {
    return Write(rows, values, /*add=*/false);
  }
  absl::Status Add(absl::Span<const int64_t> rows,
                   absl::Span<const uint8_t> values) override {
    return Write(rows, values, /*add=*/true);
  }

  absl::Status AttachOptimizer(SparseOptimizerKind kind) override {
    if (kind == SparseOptimizerKind::kSgd) return absl::OkStatus();
    return absl::UnimplementedError("rows in memory are stepped by SGD alone");
  }
  absl::Status CopyFrom(DistTensor& other) override {
    MutexLock lock(all_.mutex_);
    all_.values_[name()] = all_.values_[other.name()];
    return absl::OkStatus();
  }
  absl::Status Drop() override { return absl::OkStatus(); }

 private:
  absl::Status Check(absl::Span<const int64_t> rows, size_t bytes) const {
    if (bytes != rows.size() * row_bytes()) {
      return absl::InvalidArgumentError("the size of values and rows differ");
    }
    for (const int64_t row : rows) {
      if (row >= 0 && row < options_.num_rows) continue;
      return absl::OutOfRangeError(
          absl::StrCat("row ", row, " of ", options_.num_rows));
    }
    return absl::OkStatus();
  }

  absl::Status Write(absl::Span<const int64_t> rows,
                     absl::Span<const uint8_t> values, bool add) {
    MutexLock lock(all_.mutex_);
    if (absl::Status s = Check(rows, values.size()); !s.ok()) return s;
    std::vector<float>& to = all_.values_[name()];
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t c = 0; c < width(); ++c) {
        float value = 0;
        std::memcpy(&value, values.data() + (i * width() + c) * sizeof(value),
                    sizeof(value));
        float& own = to[rows[i] * width() + c];
        own = add ? own + value : value;
      }
    }
    return absl::OkStatus();
  }

  InMemoryRows& all_;
  const size_t rank_;
  const DistTensorOptions options_;
};

class InMemoryRows::OneRankRounds final : public GradientRounds {
 public:
  OneRankRounds(InMemoryRows* all, int rank) : all_(*all), rank_(rank) {}

  absl::Status Push(DistTensor& tensor, uint32_t place,
                    absl::Span<const int64_t> rows,
                    absl::Span<const float> gradients,
                    const SparseStepOptions& step) override {
    MutexLock lock(all_.mutex_);
    auto& pushes = all_.staged_[all_.closed_[rank_] + 1][tensor.name()];
    const bool is_new =
        pushes
            .emplace(place,
                     InMemoryRows::Push{{rows.begin(), rows.end()},
                                        {gradients.begin(), gradients.end()},
                                        step})
            .second;
    if (is_new) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("place ", place, " was pushed twice"));
  }

  absl::Status Close() override {
    MutexLock lock(all_.mutex_);
    ++all_.closed_[rank_];
    const uint64_t complete =
        *std::min_element(all_.closed_.begin(), all_.closed_.end());
    while (all_.applied_ < complete) {
      all_.Apply(std::move(all_.staged_[all_.applied_ + 1]));
      all_.staged_.erase(++all_.applied_);
    }
    all_.applied_changed_.NotifyAll();
    return absl::OkStatus();
  }

  uint64_t closed() const override {
    MutexLock lock(all_.mutex_);
    return all_.closed_[rank_];
  }

 private:
  InMemoryRows& all_;
  const size_t rank_;
};

void InMemoryRows::Apply(Round round) {
  for (const auto& [name, pushes] : round) {
    const auto dim = static_cast<size_t>(dims_[name]);
    std::map<int64_t, std::vector<float>> sums;
    for (const auto& [place, push] : pushes) {
      for (size_t i = 0; i < push.rows.size(); ++i) {
        std::vector<float>& sum = sums[push.rows[i]];
        sum.resize(dim, 0);
        for (size_t c = 0; c < dim; ++c) sum[c] += push.gradients[i * dim + c];
      }
    }
    const SparseStepOptions step = pushes.begin()->second.step;
    const auto factor = static_cast<float>(step.learning_rate * step.scale);
    for (const auto& [row, sum] : sums) {
      for (size_t c = 0; c < dim; ++c) {
        values_[name][row * dim + c] -= factor * sum[c];
      }
    }
  }
}

std::unique_ptr<DistTensor> InMemoryRows::Tensor(
    int rank, const DistTensorOptions& options) {
  MutexLock lock(mutex_);
  std::vector<float>& values = values_[options.name];
  dims_[options.name] = options.dim;
  if (values.empty()) {
    for (int64_t row = 0; row < options.num_rows; ++row) {
      for (int64_t c = 0; c < options.dim; ++c) {
        values.push_back(initial_(row, c));
      }
    }
  }
  return std::make_unique<OneTensor>(this, rank, options);
}

std::unique_ptr<GradientRounds> InMemoryRows::Rounds(int rank) {
  return std::make_unique<OneRankRounds>(this, rank);
}

std::vector<float> InMemoryRows::Values(const std::string& name) const {
  MutexLock lock(mutex_);
  return values_.at(name);
}

uint64_t InMemoryRows::rows_read() const {
  MutexLock lock(mutex_);
  return rows_read_;
}

}  // namespace tributary
