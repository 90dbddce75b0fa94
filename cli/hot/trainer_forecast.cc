#include "cli/hot/trainer_forecast.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "trainer_client/core/cache/cache_forecast.h"

namespace tributary {
namespace {

constexpr std::array<double, 6> kShares = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5};

// Beside its features and labels a row that is held takes its original id and
// CRC32C, with room to align them; of the list, id and CRC32C are fetched.
constexpr uint64_t kHeldBytesBesideRow = 16;
constexpr uint64_t kFetchedBytesBesideRow = 12;

// Returns the later accesses of the `rows` nodes that were accessed most.
double LaterAccesses(const AccessHistogram& histogram, double rows) {
  double later = 0;
  for (auto at = histogram.rbegin(); at != histogram.rend() && rows > 0; ++at) {
    const auto nodes = static_cast<double>(at->second.nodes);
    if (nodes == 0) continue;
    const double taken = std::min(rows, nodes);
    later += taken / nodes * static_cast<double>(at->second.later);
    rows -= taken;
  }
  return later;
}

}  // namespace

TrainerForecasts ForecastTrainers(absl::Span<const ForecastType> types,
                                  const LaterBatches& later) {
  const auto batches =
      static_cast<double>(std::max<uint64_t>(1, later.batches));
  double rows = 0, bytes = static_cast<double>(later.bytes);
  for (const ForecastType& type : types) {
    for (const auto& [count, nodes] : type.all) {
      rows += static_cast<double>(nodes.later);
      bytes += static_cast<double>(nodes.later) *
               static_cast<double>(type.row_bytes);
    }
  }
  TrainerForecasts forecasts{bytes / batches, {}};
  for (const double share : kShares) {
    TrainerForecast& forecast = forecasts.shares.emplace_back();
    forecast.share = share;
    double covered = 0, saved = 0;
    for (const ForecastType& type : types) {
      if (!type.held) continue;
      const double held =
          std::floor(share * static_cast<double>(type.num_nodes));
      const double accesses = LaterAccesses(type.all, held);
      covered += accesses;
      saved += accesses * static_cast<double>(type.row_bytes);
      forecast.held_bytes +=
          held * static_cast<double>(type.row_bytes + kHeldBytesBesideRow);
      forecast.fetched_bytes +=
          held * static_cast<double>(type.row_bytes + kFetchedBytesBesideRow);
    }
    forecast.covered = rows > 0 ? covered / rows : 0;
    forecast.batch_bytes = (bytes - saved) / batches;
    forecast.saved_bytes =
        saved / batches * static_cast<double>(later.batches_of_epoch);
    forecast.pays = forecast.saved_bytes > forecast.fetched_bytes &&
                    saved >= kLeastSavedShare * bytes;
  }
  return forecasts;
}

}  // namespace tributary
