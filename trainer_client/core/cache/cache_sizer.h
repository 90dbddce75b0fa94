// Finds out how many rows it pays to hold.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_CACHE_SIZER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_CACHE_SIZER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/batch/batch_view.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/cache/cache_forecast.h"
#include "trainer_client/core/cache/hot_list_reader.h"
#include "trainer_client/core/held/held_plan.h"

namespace tributary {

struct CacheSizerOptions {
  std::shared_ptr<HotListReader> reader;
  GraphSchema schema;
  CollectedColumns collect;  // of the session
  FeatureDType feature_dtype = FeatureDType::kStored;
  uint64_t memory = 0;   // bytes that rows may take
  uint64_t batches = 0;  // of an epoch of this trainer
  // Returns the bytes of batches that servers have sent so far.
  std::function<uint64_t()> wire_bytes;
  // Is called once: with the size, which may be `off`, and what is predicted of
  // it, or with what is in the way.
  std::function<void(
      absl::StatusOr<std::pair<TrainerCacheSize, CacheForecast::Choice>>)>
      chosen;
};

// Reads the order of the rows that there is memory for, a sixteenth of the
// batches' bytes at most; counts in the next batches how often they have these
// rows; and chooses.
//
// A state machine without threads: all methods run on the strand. Held by
// shared_ptr.
class CacheSizer : public std::enable_shared_from_this<CacheSizer> {
 public:
  explicit CacheSizer(CacheSizerOptions options)
      : options_(std::move(options)) {}

  void Start();
  // Sees a batch that is delivered, of which `wire_bytes` were sent.
  void Observe(const BatchView& batch, uint64_t wire_bytes);
  // Calls nobody from now on.
  void Stop() { state_ = State::kDone; }

 private:
  enum class State { kReading, kPaused, kCounting, kDone };

  void Plan(const HotListJson& list);
  void ReadNext();
  void Choose();
  void End(absl::Status why);

  const CacheSizerOptions options_;
  State state_ = State::kReading;
  std::vector<HeldTypePlan> plans_;
  std::vector<HotListType> listed_;  // as plans_
  std::optional<CacheForecast> forecast_;
  size_t type_ = 0;  // whose order is read
  uint64_t block_ = 0;
  uint64_t read_bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_CACHE_SIZER_H_
