#include "trainer_client/core/cache/trainer_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/observe/log.h"
#include "common/process/memory_limit.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

// Of the bytes of batches, one in so many may be fetched beside them.
constexpr uint64_t kShareOfFetches = 2;

}  // namespace

uint64_t MemoryOfTrainerCache() {
  const absl::StatusOr<MemoryLimit> limit = ReadMemoryLimit();
  return limit.ok() ? std::min(limit->total / 8, limit->free / 4) : 0;
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
  options_.size.automatic ? AwaitBatches() : Begin();
}

void TrainerCache::AwaitBatches() {
  options_.observe([weak = weak_from_this()](const BatchView&, uint64_t) {
    const auto self = weak.lock();
    if (self == nullptr ||
        self->options_.wire_bytes() < self->options_.bytes_before) {
      return;
    }
    self->options_.observe(nullptr);
    self->Begin();
  });
}

void TrainerCache::Begin() {
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
  list_ = list->digest;
  auto rows = options_.process_rows(absl::StrCat(
      ToHex(list_), " ",
      HeldFormText(options_.schema, options_.collect, options_.feature_dtype),
      " ", options_.size.ToString()));
  if (!rows.ok()) {
    return Log(LogLevel::kWarning,
               absl::StrCat("trainer_cache: ", rows.status().ToString(),
                            "; batches come whole"));
  }
  rows_ = *std::move(rows);
  Join(options_.size.automatic
           ? std::nullopt
           : std::optional(options_.size.share.value_or(0)));
}

void TrainerCache::Join(std::optional<double> share) {
  rows_->machine()->Join(share,
                         [weak = weak_from_this(), strand = options_.strand](
                             const std::optional<MachineRows::Joined>& joined) {
                           strand->Post([weak, joined] {
                             const auto self = weak.lock();
                             if (self != nullptr && !self->stopped_)
                               self->OnJoined(joined);
                           });
                         });
}

void TrainerCache::OnJoined(const std::optional<MachineRows::Joined>& joined) {
  if (!joined.has_value()) return FindSize();
  if (!options_.size.automatic) return Fetch(options_.size);
  // One copy for each process is more memory than was asked for.
  if (!joined->shared) return;
  TrainerCacheSize size;
  size.share = joined->share;
  Fetch(size);
}

void TrainerCache::FindSize() {
  CacheSizerOptions sizer;
  sizer.reader = reader_;
  sizer.schema = options_.schema;
  sizer.collect = options_.collect;
  sizer.feature_dtype = options_.feature_dtype;
  sizer.memory = options_.memory;
  sizer.batches = options_.batches;
  sizer.wire_bytes = options_.wire_bytes;
  sizer.chosen = [weak = weak_from_this()](const auto& chosen) {
    const auto self = weak.lock();
    if (self == nullptr || self->stopped_) return;
    self->options_.observe(nullptr);
    if (chosen.ok()) return self->OnSize(chosen->first, chosen->second);
    Log(LogLevel::kWarning,
        absl::StrCat("trainer_cache auto: the hot list cannot be read: ",
                     chosen.status().ToString(), "; batches come whole"));
  };
  sizer_ = std::make_shared<CacheSizer>(std::move(sizer));
  sizer_->Start();
  options_.observe(
      [sizer = sizer_](const BatchView& batch, uint64_t wire_bytes) {
        sizer->Observe(batch, wire_bytes);
      });
}

void TrainerCache::OnSize(const TrainerCacheSize& size,
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
  Join(size.share);
}

void TrainerCache::Fetch(const TrainerCacheSize& size) {
  HeldFetcherOptions fetcher;
  fetcher.strand = options_.strand;
  fetcher.client = client_;
  fetcher.reader = reader_;
  fetcher.schema = options_.schema;
  fetcher.collect = options_.collect;
  fetcher.feature_dtype = options_.feature_dtype;
  fetcher.size = size;
  fetcher.piece_bytes = options_.piece_bytes;
  fetcher.allowance = [wire_bytes = options_.wire_bytes] {
    return wire_bytes() / kShareOfFetches;
  };
  fetcher.machine = rows_->machine();
  fetcher.rows = [weak = weak_from_this(), shared = rows_,
                  list = list_](std::vector<HeldRows::Type> types) {
    auto rows = shared->Rows(list, std::move(types));
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
  options_.observe(nullptr);
  if (sizer_ != nullptr) sizer_->Stop();
  if (reader_ != nullptr) reader_->Stop();
  if (fetcher_ != nullptr) fetcher_->Stop();
  if (client_ != nullptr) client_->Close();
}

}  // namespace tributary
