// A loader's cache of rows that servers then need not send.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TRAINER_CACHE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TRAINER_CACHE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/cache/held_fetcher.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/held/held_plan.h"
#include "trainer_client/core/held/held_rows.h"

namespace tributary {

struct TrainerCacheOptions {
  TrainerCacheSize size;
  std::string list;  // by name; empty: one that was sampled, else "degree"
  std::shared_ptr<Strand> strand;      // the loader's
  std::shared_ptr<ServerFleet> fleet;  // likewise
  Transport* transport = nullptr;      // outlives the cache
  GraphSchema schema;
  CollectedColumns collect;  // of the session, as feature_dtype
  FeatureDType feature_dtype = FeatureDType::kStored;
  std::function<uint64_t()> allowance;  // see HeldFetcherOptions
  // Is called on the strand once there are rows to name in credits.
  std::function<void(std::shared_ptr<HeldRows>)> hold;
};

// Finds the list that servers describe and fetches its first rows from them,
// while the loader's batches come whole at first. All loaders of the process
// that want the same rows share one copy, and one of them fetches. What is in
// the way is logged once; batches come whole then, or without the rows that are
// held. All methods run on the strand. Held by shared_ptr.
class TrainerCache : public std::enable_shared_from_this<TrainerCache> {
 public:
  explicit TrainerCache(TrainerCacheOptions options)
      : options_(std::move(options)) {}

  void Start();
  // Calls nobody from now on.
  void Stop();

 private:
  const DescribedHotList* FindList() const;
  void Fetch(const DescribedHotList& list);

  const TrainerCacheOptions options_;
  std::shared_ptr<GraphClient> client_;
  std::shared_ptr<HeldFetcher> fetcher_;
  bool stopped_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TRAINER_CACHE_H_
