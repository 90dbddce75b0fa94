// DistTensors and GradientRounds without servers, for tests: rows in memory,
// stepped by plain SGD.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_IN_MEMORY_ROWS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_IN_MEMORY_ROWS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/runtime/mutex.h"
#include "trainer_client/tensors/dist_tensor.h"

namespace tributary {

// The tensors of a group of ranks, which may be threads of one process. A round
// is applied when every rank has closed it; reads wait for the rounds that
// their rank has closed, 20 s at most (DEADLINE_EXCEEDED). Rows begin with what
// the constructor's `initial` of (row, column) returns. float32 alone; Set,
// Add and CopyFrom work, Drop does nothing. Thread-safe; outlives its tensors.
class InMemoryRows {
 public:
  using Initial = float (*)(int64_t row, int64_t column);
  InMemoryRows(int world, Initial initial)
      : initial_(initial), closed_(world, 0) {}

  // Return a rank's view.
  std::unique_ptr<DistTensor> Tensor(int rank,
                                     const DistTensorOptions& options);
  std::unique_ptr<GradientRounds> Rounds(int rank);

  // Returns all values of a tensor.
  std::vector<float> Values(const std::string& name) const;
  // Returns how many rows all reads have asked for.
  uint64_t rows_read() const;

 private:
  class OneTensor;
  class OneRankRounds;
  struct Push {
    std::vector<int64_t> rows;
    std::vector<float> gradients;
    SparseStepOptions step;
  };
  // By place, of each tensor.
  using Round = std::map<std::string, std::map<uint32_t, Push>>;

  void Apply(Round round) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Initial initial_;
  mutable Mutex mutex_;
  CondVar applied_changed_;
  std::map<std::string, std::vector<float>> values_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, int64_t> dims_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, Round> staged_ ABSL_GUARDED_BY(mutex_);  // by round
  std::vector<uint64_t> closed_ ABSL_GUARDED_BY(mutex_);      // by rank
  uint64_t applied_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t rows_read_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TESTING_IN_MEMORY_ROWS_H_
