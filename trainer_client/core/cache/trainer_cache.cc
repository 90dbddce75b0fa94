#include "trainer_client/core/cache/trainer_cache.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/observe/log.h"
#include "common/runtime/mutex.h"
#include "partition/schema/hot_list_json.h"

namespace tributary {
namespace {

// Rows of one list in one form, and how many.
using RowsKey = std::pair<Sha256Digest, std::vector<HeldRows::Type>>;

struct Registry {
  Mutex mutex;
  std::vector<std::pair<RowsKey, std::weak_ptr<HeldRows>>> rows
      ABSL_GUARDED_BY(mutex);
};

// Returns the process's rows of this list and form.
std::shared_ptr<HeldRows> RowsOfProcess(const Sha256Digest& list,
                                        std::vector<HeldRows::Type> types) {
  static auto& registry = *new Registry;
  RowsKey key{list, types};
  MutexLock lock(registry.mutex);
  std::erase_if(registry.rows,
                [](const auto& entry) { return entry.second.expired(); });
  for (const auto& [other, weak] : registry.rows) {
    auto rows = other == key ? weak.lock() : nullptr;
    if (rows != nullptr) return rows;
  }
  auto rows = std::make_shared<HeldRows>(list, std::move(types));
  registry.rows.emplace_back(std::move(key), rows);
  return rows;
}

}  // namespace

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
  if (list != nullptr) return Fetch(*list);
  Log(LogLevel::kWarning,
      absl::StrCat("trainer_cache: no server has ",
                   options_.list.empty()
                       ? "a hot list of this graph"
                       : absl::StrCat("the hot list '", options_.list, "'"),
                   "; batches come whole. tributary cache makes one; servers "
                   "read it when they start"));
}

void TrainerCache::Fetch(const DescribedHotList& list) {
  GraphClientOptions client;
  client.transport = options_.transport;
  client.strand = options_.strand;
  client.layout = options_.schema.layout_digest;
  client_ = std::make_shared<GraphClient>(std::move(client), options_.fleet);
  HeldFetcherOptions fetcher;
  fetcher.strand = options_.strand;
  fetcher.client = client_;
  fetcher.schema = options_.schema;
  fetcher.list = list.digest;
  fetcher.json_bytes = list.json_bytes;
  fetcher.collect = options_.collect;
  fetcher.feature_dtype = options_.feature_dtype;
  fetcher.size = options_.size;
  fetcher.allowance = options_.allowance;
  fetcher.rows = [weak = weak_from_this(),
                  digest = list.digest](std::vector<HeldRows::Type> types) {
    auto rows = RowsOfProcess(digest, std::move(types));
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
  if (fetcher_ != nullptr) fetcher_->Stop();
  if (client_ != nullptr) client_->Close();
}

}  // namespace tributary
