#include "trainer_client/core/cache/trainer_cache.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/observe/log.h"
#include "common/process/memory_limit.h"
#include "common/runtime/mutex.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

// What loaders of this process share.
struct Registry {
  // Rows of one list in one form, and how many.
  struct Rows {
    Sha256Digest list{};
    std::vector<HeldRows::Type> types;
    std::weak_ptr<HeldRows> rows;
  };
  // A size that was found out for batches of one form.
  struct Size {
    Sha256Digest list{};
    CollectedColumns collect;
    FeatureDType feature_dtype = FeatureDType::kStored;
    TrainerCacheSize size;
  };
  Mutex mutex;
  std::vector<Rows> rows ABSL_GUARDED_BY(mutex);
  std::vector<Size> sizes ABSL_GUARDED_BY(mutex);
};

Registry& RegistryOfProcess() {
  static auto& registry = *new Registry;
  return registry;
}

// Returns the process's rows of this list and form.
std::shared_ptr<HeldRows> RowsOfProcess(const Sha256Digest& list,
                                        std::vector<HeldRows::Type> types) {
  Registry& registry = RegistryOfProcess();
  MutexLock lock(registry.mutex);
  std::erase_if(registry.rows,
                [](const auto& entry) { return entry.rows.expired(); });
  for (const Registry::Rows& entry : registry.rows) {
    if (entry.list != list || entry.types != types) continue;
    if (auto rows = entry.rows.lock()) return rows;
  }
  auto rows = std::make_shared<HeldRows>(list, types);
  registry.rows.push_back({list, std::move(types), rows});
  return rows;
}

}  // namespace

uint64_t MemoryOfTrainerCache() {
  const absl::StatusOr<MemoryLimit> limit = ReadMemoryLimit();
  if (!limit.ok()) return 0;
  const char* ranks = std::getenv("LOCAL_WORLD_SIZE");
  uint64_t sharing = 1;
  if (ranks == nullptr || !absl::SimpleAtoi(ranks, &sharing)) sharing = 1;
  return std::min(limit->total / 8, limit->free / 4) /
         std::max<uint64_t>(1, sharing);
}

const DescribedHotList* TrainerCache::FindList() const {
  const DescribedHotList* found = nullptr;
  for (ServerLink* link : options_.fleet->Up()) {
    for (const DescribedHotList& list : link->description().hot_lists) {
      if (!options_.list.empty()) {
        if (list.name == options_.list) return &list;
      } else if (found == nullptr || found->name == kDegreeList) {
        found = &list;
      }
    }
  }
  return found;
}

void TrainerCache::Start() {
  if (stopped_) return;
  const DescribedHotList* list = FindList();
  if (list == nullptr) {
    Log(options_.size.automatic ? LogLevel::kDebug : LogLevel::kWarning,
        absl::StrCat("trainer_cache: no server has ",
                     options_.list.empty()
                         ? "a hot list of this graph"
                         : absl::StrCat("the hot list '", options_.list, "'"),
                     "; batches come whole. tributary cache makes one; servers "
                     "read it when they start"));
    return;
  }
  GraphClientOptions client;
  client.transport = options_.transport;
  client.strand = options_.strand;
  client.layout = options_.schema.layout_digest;
  client_ = std::make_shared<GraphClient>(std::move(client), options_.fleet);
  HotListReaderOptions reader;
  reader.strand = options_.strand;
  reader.client = client_;
  reader.schema = options_.schema;
  reader.digest = list->digest;
  reader.json_bytes = list->json_bytes;
  reader_ = std::make_shared<HotListReader>(std::move(reader));
  options_.size.automatic ? FindSize(list->digest)
                          : Fetch(list->digest, options_.size);
}

void TrainerCache::FindSize(const Sha256Digest& list) {
  Registry& registry = RegistryOfProcess();
  {
    MutexLock lock(registry.mutex);
    for (const Registry::Size& found : registry.sizes) {
      if (found.list == list && found.collect == options_.collect &&
          found.feature_dtype == options_.feature_dtype) {
        return Fetch(list, found.size);
      }
    }
  }
  CacheSizerOptions sizer;
  sizer.reader = reader_;
  sizer.schema = options_.schema;
  sizer.collect = options_.collect;
  sizer.feature_dtype = options_.feature_dtype;
  sizer.memory = options_.memory;
  sizer.batches = options_.batches;
  sizer.bytes = options_.bytes;
  sizer.chosen = [weak = weak_from_this(), list](const auto& chosen) {
    const auto self = weak.lock();
    if (self == nullptr || self->stopped_) return;
    self->options_.observe(nullptr);
    if (chosen.ok()) return self->OnSize(list, chosen->first, chosen->second);
    Log(LogLevel::kWarning,
        absl::StrCat("trainer_cache auto: the hot list cannot be read: ",
                     chosen.status().ToString(), "; batches come whole"));
  };
  sizer_ = std::make_shared<CacheSizer>(std::move(sizer));
  options_.observe(
      [sizer = sizer_](const BatchView& batch) { sizer->Observe(batch); });
}

void TrainerCache::OnSize(const Sha256Digest& list,
                          const TrainerCacheSize& size,
                          const CacheForecast::Choice& predicted) {
  if (size.off()) {
    return Log(LogLevel::kInfo,
               absl::StrFormat(
                   "trainer_cache auto: no rows are held: that would save "
                   "%.0f %% of the bytes of a batch; --trainer-cache holds "
                   "some in any case",
                   100 * predicted.saved));
  }
  Log(LogLevel::kInfo,
      absl::StrFormat("trainer_cache auto: holds %.3g of the rows, %.0f MB; "
                      "that is predicted to save %.0f %% of the bytes of a "
                      "batch",
                      *size.share, predicted.fetched_bytes / 1e6,
                      100 * predicted.saved));
  Registry& registry = RegistryOfProcess();
  {
    MutexLock lock(registry.mutex);
    registry.sizes.push_back(
        {list, options_.collect, options_.feature_dtype, size});
  }
  Fetch(list, size);
}

void TrainerCache::Fetch(const Sha256Digest& list,
                         const TrainerCacheSize& size) {
  HeldFetcherOptions fetcher;
  fetcher.strand = options_.strand;
  fetcher.client = client_;
  fetcher.reader = reader_;
  fetcher.schema = options_.schema;
  fetcher.collect = options_.collect;
  fetcher.feature_dtype = options_.feature_dtype;
  fetcher.size = size;
  fetcher.allowance = [bytes = options_.bytes] { return bytes() / 2; };
  fetcher.rows = [weak = weak_from_this(),
                  list](std::vector<HeldRows::Type> types) {
    auto rows = RowsOfProcess(list, std::move(types));
    if (auto self = weak.lock()) self->options_.hold(rows);
    return rows;
  };
  fetcher.stopped = [](const absl::Status& why) {
    Log(LogLevel::kWarning,
        absl::StrCat("trainer_cache: no more rows are fetched: ",
                     why.ToString()));
  };
  fetcher_ = std::make_shared<HeldFetcher>(std::move(fetcher));
  fetcher_->Start();
}

void TrainerCache::Stop() {
  stopped_ = true;
  if (sizer_ != nullptr) {
    sizer_->Stop();
    options_.observe(nullptr);
  }
  if (reader_ != nullptr) reader_->Stop();
  if (fetcher_ != nullptr) fetcher_->Stop();
  if (client_ != nullptr) client_->Close();
}

}  // namespace tributary
