// Makes the caches of hot rows and a hot list of a finished graph folder:
// samples beforehand, chooses rows, predicts and writes.
#ifndef TRIBUTARY_CLI_HOT_MAKE_HOT_CACHE_H_
#define TRIBUTARY_CLI_HOT_MAKE_HOT_CACHE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/hot/hot_choice.h"
#include "cli/hot/trainer_forecast.h"
#include "cli/sample/sample_request.h"

namespace tributary {

// The batches that a server is expected to make.
enum class HotOrder {
  kGlobal,  // any: accesses of all batches count for every partition
  kLocal,   // those of the inputs in its own partition alone
};

struct HotCacheRequest {
  // The graph, the inputs and how they are sampled; `epoch` and `batches` say
  // which batches choose rows. The same batches of the next epoch predict.
  SampleRequest sample;
  // Of the servers' caches; none: none are made.
  std::optional<HotSize> size;
  // The share of each type's rows that trainers hold: the first ones of the
  // list. Servers need not gather them, so that their caches have the next
  // ones. Requires the global order.
  double trainer_share = 0;
  std::string list = "sampled";  // the name of the hot list that is written
  HotOrder order = HotOrder::kGlobal;
  bool dry_run = false;  // predicts and writes nothing
  std::string made_by;
};

// The forecast for a server that has this partition and no other.
struct PartitionForecast {
  uint32_t partition = 0;
  uint64_t batches = 0;  // that the prediction is the mean of
  uint64_t cached_rows = 0;
  uint64_t cached_bytes = 0;
  RemoteRows before, after;  // of a batch: without the cache, and with it
};

// The mean over all partitions' batches for a size of the cache.
struct SizeForecast {
  HotSize size;
  uint64_t cached_rows = 0, cached_bytes = 0;  // of all partitions
  double remote_bytes = 0;                     // of a batch
};

struct HotCacheReport {
  std::vector<PartitionForecast> partitions;
  RemoteRows before, after;         // the mean over all of their batches
  std::vector<SizeForecast> sizes;  // ascending ratios, then the size asked for
  TrainerForecasts trainers;
};

// Receives what is being done, and how much of it (total 0: not known).
using HotProgress =
    std::function<void(std::string_view stage, int64_t done, int64_t total)>;

// Samples in this process, with the engine that servers have; holds two
// counters for each node beside it, with HotOrder::kLocal four. `progress` may
// be empty. Errors: those of ParseSampleArguments' request (options that do not
// fit the graph), INVALID_ARGUMENT for inputs that an order cannot share out,
// for a graph without features and for caches of one with one partition, and
// those of HotCacheWriter and WriteHotList.
absl::StatusOr<HotCacheReport> MakeHotCache(const HotCacheRequest& request,
                                            const HotProgress& progress = {});

}  // namespace tributary

#endif  // TRIBUTARY_CLI_HOT_MAKE_HOT_CACHE_H_
