// Mini-batches that the user's function makes from ids: DGL's DistDataLoader.
// Also DGL's names of loaders that servers work for.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_DIST_DATA_LOADER_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_DIST_DATA_LOADER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/text/status.h"
#include "trainer_client/core/dist_link_neighbor_loader.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/core/session/epoch_order.h"

namespace tributary {

// The loaders of neighbourhoods of nodes and of links under DGL's names.
using DistNodeDataLoader = DistNeighborLoader;
using DistEdgeDataLoader = DistLinkNeighborLoader;

struct DistDataLoaderOptions {
  uint64_t batch_size = 1;  // 1 or more
  bool shuffle = true;      // by (random_seed, epoch); false: the list's order
  bool drop_last = false;   // leaves out the short batch at the end
  uint64_t random_seed = 0;
};

// Cuts this rank's own ids (of NodeSplit, EdgeSplit or any other list) into
// batches and passes each to the user's function, which samples and reads as it
// likes, in the caller's thread. Orders are those of loaders of the same list:
// equal seeds and epochs give equal batches. Not thread-safe.
//
//   ASSIGN_OR_RETURN(auto loader, DistDataLoader<Blocks>::Create(
//       share.ids, [&](absl::Span<const int64_t> ids) { return Sample(ids); },
//       {.batch_size = 1000}));
//   for (int epoch = 0; epoch < 10; ++epoch) {
//     loader.StartEpoch(epoch);
//     while (true) {
//       ASSIGN_OR_RETURN(std::optional<Blocks> batch, loader.Next());
//       if (!batch.has_value()) break;
//       Train(*batch);
//     }
//   }
template <typename Batch>
class DistDataLoader {
 public:
  using CollateFn =
      std::function<absl::StatusOr<Batch>(absl::Span<const int64_t> ids)>;

  // INVALID_ARGUMENT for an empty list, a batch_size of 0, or no function.
  static absl::StatusOr<DistDataLoader> Create(
      std::vector<int64_t> ids, CollateFn collate_fn,
      const DistDataLoaderOptions& options = {}) {
    if (ids.empty()) {
      return absl::InvalidArgumentError(
          "DistDataLoader: the list of ids is empty; allowed: 1 id or more");
    }
    if (options.batch_size == 0) {
      return absl::InvalidArgumentError(
          "DistDataLoaderOptions.batch_size is 0; allowed: 1 or more");
    }
    if (collate_fn == nullptr) {
      return absl::InvalidArgumentError("DistDataLoader: no collate_fn");
    }
    return DistDataLoader(std::move(ids), std::move(collate_fn), options);
  }

  // Returns the number of batches of an epoch.
  uint64_t num_batches() const {
    return EpochOrder::NumBatches(ids_.size(), options_.batch_size,
                                  options_.drop_last);
  }

  // Begins an epoch; the loader is at the beginning of epoch 0 before.
  void StartEpoch(uint64_t epoch) {
    Cursor cursor;
    cursor.epoch = epoch;
    order_.emplace(OrderOptions(), cursor);
    next_ = order_->begin_index();
  }

  // Returns what collate_fn makes of the next ids, or none at the end of the
  // epoch. An error of collate_fn comes in the batch's place.
  absl::StatusOr<std::optional<Batch>> Next() {
    if (!order_.has_value()) StartEpoch(0);
    if (next_ == order_->end_index()) return std::optional<Batch>();
    std::vector<int64_t> ids;
    for (uint64_t i : order_->InputNumbers(next_++)) ids.push_back(ids_[i]);
    ASSIGN_OR_RETURN(Batch batch, collate_fn_(ids));
    return std::optional<Batch>(std::move(batch));
  }

 private:
  DistDataLoader(std::vector<int64_t> ids, CollateFn collate_fn,
                 const DistDataLoaderOptions& options)
      : ids_(std::move(ids)),
        collate_fn_(std::move(collate_fn)),
        options_(options) {}

  EpochOrderOptions OrderOptions() const {
    EpochOrderOptions order;
    order.num_inputs = ids_.size();
    order.batch_size = options_.batch_size;
    order.random_seed = options_.random_seed;
    order.shuffle = options_.shuffle;
    order.drop_last = options_.drop_last;
    return order;
  }

  std::vector<int64_t> ids_;
  CollateFn collate_fn_;
  DistDataLoaderOptions options_;
  std::optional<EpochOrder> order_;
  uint64_t next_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_DIST_DATA_LOADER_H_
