// Predicts what a trainer's cache saves, by batches that came with all rows.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_CACHE_FORECAST_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_CACHE_FORECAST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "common/batch/batch_view.h"

namespace tributary {

// A cache that saves less of a batch's bytes does not pay: servers and trainers
// have work with each row that is left out.
inline constexpr double kLeastSavedShare = 0.25;

// Counts how often batches have nodes of the first ranks of a hot list. Of the
// list it keeps a sample by a hash of the node's id, of a batch it looks at
// some nodes: neither its memory nor the time of a batch grows with the graph.
// Not thread-safe.
class CacheForecast {
 public:
  struct Type {
    std::string name;            // of the node type
    uint64_t most_rows = 0;      // that there is room for
    uint64_t row_bytes = 0;      // that a batch has of a row
    uint64_t fetched_bytes = 0;  // that holding a row takes once
  };
  // Types by node type of the graph.
  explicit CacheForecast(std::vector<Type> types);

  // Adds the original ids of ranks from `first` on; those of ranks up to
  // most_rows count.
  void AddRanks(int type, uint64_t first, absl::Span<const int64_t> ids);
  // Counts the nodes of a batch that came with all rows, in `wire_bytes`.
  void Observe(const BatchView& batch, uint64_t wire_bytes);
  uint64_t batches() const { return batches_; }

  // A size, as a share of most_rows of each type; 0: none.
  struct Choice {
    double share = 0;
    double saved = 0;          // of the bytes sent of a batch, from 0 to 1
    double batch_bytes = 0;    // that are sent of one with all rows, the mean
    double fetched_bytes = 0;  // once
  };
  // Returns the size that saves most of the bytes of `batches` batches, less
  // those that are fetched. None if that saves less than kLeastSavedShare of
  // each batch; then `saved` is what it would save.
  Choice Choose(uint64_t batches) const;

 private:
  static constexpr size_t kShares = 32;
  struct Counted {
    Type type;
    absl::flat_hash_map<int64_t, uint8_t> share_of;  // by id
    std::array<double, kShares> nodes{};             // of all batches, by share
  };
  void Count(const TensorView& n_id, Counted& counted) const;

  std::vector<Counted> types_;
  uint64_t sampled_one_in_ = 1;  // of the list's ids
  uint64_t batches_ = 0;
  uint64_t wire_bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_CACHE_FORECAST_H_
