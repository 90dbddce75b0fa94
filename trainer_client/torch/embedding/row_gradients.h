// Gradients of rows, summed by row. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_ROW_GRADIENTS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_ROW_GRADIENTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// Distinct rows, ascending, and a gradient for each.
struct SummedRows {
  std::vector<int64_t> rows;
  std::vector<float> gradients;  // [rows.size(), dim]
};

// The distinct values of a list of ids.
struct DistinctRows {
  std::vector<int64_t> rows;      // ascending
  std::vector<int64_t> position;  // [ids]: of each id's row in `rows`
  std::vector<int64_t> count;     // [rows]: how many ids have the row
  // Whether rows are the ids in their order.
  bool identity = false;

  static DistinctRows Of(absl::Span<const int64_t> ids);
};

// Collects the gradients of one batch, which may have read rows several times.
// A sum is a function of the order of Add(). Not thread-safe.
class RowGradients {
 public:
  explicit RowGradients(size_t dim) : dim_(dim) {}

  // Adds gradients [rows.size(), dim] of distinct ascending rows; `count` says
  // how many lookups each is the sum of.
  void Add(std::vector<int64_t> rows, std::vector<int64_t> count,
           absl::Span<const float> gradients);
  // Returns the sums of all that was added, or, with `average`, each divided by
  // its number of lookups; forgets them.
  SummedRows Take(bool average);

 private:
  void Merge(absl::Span<const int64_t> rows, absl::Span<const int64_t> count,
             absl::Span<const float> gradients);

  const size_t dim_;
  SummedRows sums_;
  std::vector<int64_t> count_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_EMBEDDING_ROW_GRADIENTS_H_
