// A loader's cache of rows that servers then need not send.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TRAINER_CACHE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TRAINER_CACHE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "channel/transport.h"
#include "common/batch/batch_view.h"
#include "common/hash/sha256.h"
#include "common/runtime/executor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/cache/cache_sizer.h"
#include "trainer_client/core/cache/held_fetcher.h"
#include "trainer_client/core/cache/hot_list_reader.h"
#include "trainer_client/core/cache/process_rows.h"
#include "trainer_client/core/fleet/server_fleet.h"
#include "trainer_client/core/held/held_plan.h"
#include "trainer_client/core/held/held_rows.h"

namespace tributary {

// Returns the memory that an automatic size may take: an eighth of what this
// process may use, and a quarter of what is free of it at most.
uint64_t MemoryOfTrainerCache();

struct TrainerCacheOptions {
  TrainerCacheSize size;
  std::string list;  // by name; empty: one that was sampled, else "degree"
  std::shared_ptr<Strand> strand;      // the loader's
  std::shared_ptr<ServerFleet> fleet;  // likewise
  Transport* transport = nullptr;      // outlives the cache
  GraphSchema schema;
  CollectedColumns collect;  // of the session, as feature_dtype
  FeatureDType feature_dtype = FeatureDType::kStored;
  // For an automatic size: the bytes that rows may take, and how many batches
  // an epoch of this trainer has.
  uint64_t memory = 0;
  uint64_t batches = 0;
  // Returns the bytes of batches that servers have sent so far.
  std::function<uint64_t()> wire_bytes;
  // An automatic size is thought of once so many were sent: a short run has
  // nothing of it.
  uint64_t bytes_before = uint64_t{64} << 20;
  uint64_t piece_bytes = uint64_t{64} << 20;
  // Returns this process's part in the rows of an identity.
  std::function<absl::StatusOr<std::shared_ptr<ProcessRows>>(
      const std::string& identity)>
      process_rows = ProcessRows::Of;
  // Is called on the strand once there are rows to name in credits.
  std::function<void(std::shared_ptr<HeldRows>)> hold;
  // Sets who sees each batch that is delivered, and how many of its bytes were
  // sent, on the strand; null: nobody.
  std::function<void(
      std::function<void(const BatchView& batch, uint64_t wire_bytes)>)>
      observe;
};

// Finds the list that servers describe and fetches its first rows from them,
// while the loader's batches come whole at first. If the size is automatic,
// nothing happens until some batches were sent; then it is what others
// have found out for such batches, or is found out by these (CacheSizer). All
// loaders of a user on a machine that want the same rows share one copy, and
// one of them fetches (ProcessRows). What is in the way is logged once; batches
// come whole then, or without the rows that are held. Fetching takes half of
// the bytes that were sent of batches at most. All methods run on the strand.
// Held by shared_ptr.
class TrainerCache : public std::enable_shared_from_this<TrainerCache> {
 public:
  explicit TrainerCache(TrainerCacheOptions options)
      : options_(std::move(options)) {}

  void Start();
  // Calls nobody from now on.
  void Stop();
  // Bytes that were fetched of rows so far.
  uint64_t fetched_bytes() const {
    return fetcher_ == nullptr ? 0 : fetcher_->fetched_bytes();
  }
  // Whether this loader, the one of its process that adds rows, has seen all.
  bool complete() const { return fetcher_ != nullptr && fetcher_->complete(); }

 private:
  const DescribedHotList* FindList() const;
  void AwaitBatches();
  void Begin();
  void FindSize();
  void OnSize(const TrainerCacheSize& size,
              const CacheForecast::Choice& predicted);
  // Takes part in the machine's rows of this share; none: if there are some.
  void Join(std::optional<double> share);
  void OnJoined(const std::optional<MachineRows::Joined>& joined);
  void Fetch(const TrainerCacheSize& size);

  const TrainerCacheOptions options_;
  std::shared_ptr<GraphClient> client_;
  Sha256Digest list_{};
  std::shared_ptr<ProcessRows> rows_;
  std::shared_ptr<HotListReader> reader_;
  std::shared_ptr<CacheSizer> sizer_;  // of an automatic size
  std::shared_ptr<HeldFetcher> fetcher_;
  bool stopped_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_CACHE_TRAINER_CACHE_H_
