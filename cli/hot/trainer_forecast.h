// Predicts what trainers that hold the first rows of a hot list are still sent.
#ifndef TRIBUTARY_CLI_HOT_TRAINER_FORECAST_H_
#define TRIBUTARY_CLI_HOT_TRAINER_FORECAST_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "cli/hot/hot_choice.h"

namespace tributary {

// A node type as trainers that may hold rows of it see it.
struct ForecastType {
  uint64_t num_nodes = 0;
  bool held = true;        // whether its rows are held at all
  uint64_t row_bytes = 0;  // of a row of features and labels in a batch
  AccessHistogram all;     // of the nodes of all partitions
};

// The batches by which savings are predicted.
struct LaterBatches {
  uint64_t batches = 0;
  uint64_t bytes = 0;             // that are sent without features and labels
  uint64_t batches_of_epoch = 0;  // an epoch has; `batches` may be a part
};

// The forecast for a trainer that holds a share of each type's rows.
struct TrainerForecast {
  double share = 0;
  double covered = 0;        // the share of a batch's rows that it holds
  double batch_bytes = 0;    // of a batch that are still sent, the mean
  double held_bytes = 0;     // memory that it takes
  double fetched_bytes = 0;  // that it fetches once
  double saved_bytes = 0;    // of an epoch
  // Whether an epoch saves more than is fetched, and kLeastSavedShare of its
  // bytes.
  bool pays = false;
};

// The mean bytes of a whole batch, and forecasts by ascending share: 0.01,
// 0.02, 0.05, 0.1, 0.2, 0.5.
struct TrainerForecasts {
  double batch_bytes = 0;
  std::vector<TrainerForecast> shares;
};

// Predicts by the counts of accesses of nodes, as PredictRemote. The rows held
// are those of the most accesses, of nodes that tie the mean.
TrainerForecasts ForecastTrainers(absl::Span<const ForecastType> types,
                                  const LaterBatches& later);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_HOT_TRAINER_FORECAST_H_
