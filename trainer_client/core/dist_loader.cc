#include "trainer_client/core/dist_loader.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/discovery_source.h"
#include "common/fleet/host_resolver.h"
#include "common/runtime/promised.h"
#include "common/text/status.h"
#include "trainer_client/core/asked_batch.h"
#include "trainer_client/core/cache/trainer_cache.h"
#include "trainer_client/core/fleet_options.h"
#include "trainer_client/core/loader_core.h"
#include "trainer_client/core/session/session_builder.h"
#include "trainer_client/core/session/session_opener.h"

namespace tributary {
namespace {

// Beyond the state machine's own deadlines, which should always come first.
constexpr absl::Duration kGrace = absl::Seconds(10);

absl::Status ExecutorStuck() {
  return absl::DeadlineExceededError(
      "the loader's executor does not run its tasks");
}

// Silence would be plain memory under another name.
absl::Status CheckPinMemory(const RemoteDistSamplingWorkerOptions& worker,
                            const LoaderEnvironment& environment) {
  if (!worker.pin_memory || environment.make_ring) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "RemoteDistSamplingWorkerOptions.pin_memory is true; allowed: with an "
      "environment of SamplingWorkers, or one whose make_ring page-locks");
}

absl::Status CheckTraceFile(const RemoteDistSamplingWorkerOptions& worker,
                            const LoaderEnvironment& environment) {
  if (worker.trace_file.empty() || environment.on_traced) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "trace_file is set, but the loader's environment has no on_traced; use "
      "the environment of SamplingWorkers, which opens the file");
}

class Loader final : public DistLoader {
 public:
  Loader(const SessionOptions& options,
         const RemoteDistSamplingWorkerOptions& worker,
         const LoaderEnvironment& environment, const DiscoverySource& source)
      : options_(options),
        worker_(worker),
        jitter_seed_(std::random_device()()),
        trace_seed_(uint64_t{std::random_device()()} << 32 | jitter_seed_),
        transport_(environment.transport),
        make_ring_(environment.make_ring),
        ring_option_(environment.ring_option),
        on_wait_(environment.on_wait),
        on_traced_(environment.on_traced),
        strand_(std::make_shared<Strand>(environment.executor)),
        fleet_(std::make_shared<ServerFleet>(
            FleetOptionsOf(worker_, source, environment.transport, strand_,
                           &resolver_, jitter_seed_))) {}
  ~Loader() override;

  absl::Status Open();

  const GraphSchema& schema() const override { return schema_; }
  uint64_t num_inputs() const override { return order_options_.num_inputs; }
  uint64_t num_batches() const override {
    return EpochOrder::NumBatches(order_options_.num_inputs,
                                  order_options_.batch_size,
                                  order_options_.drop_last);
  }
  uint64_t begin_index() const override {
    return order_ == nullptr ? 0 : order_->begin_index();
  }
  uint64_t end_index() const override {
    return order_ == nullptr ? 0 : order_->end_index();
  }
  uint64_t inputs_in_batch(uint64_t index) const override {
    return order_ == nullptr ? 0 : order_->InputsInBatch(index);
  }
  uint64_t rounds() const override { return rounds_; }
  absl::Status StartEpoch(uint64_t epoch) override {
    RETURN_IF_ERROR(
        Change([epoch](LoaderCore& core) { return core.StartEpoch(epoch); }));
    return AgreeOnRounds();
  }
  absl::Status Resume(const Cursor& cursor) override {
    RETURN_IF_ERROR(
        Change([cursor](LoaderCore& core) { return core.Resume(cursor); }));
    return AgreeOnRounds();
  }
  absl::Status Limit(uint64_t from, uint64_t to) override {
    RETURN_IF_ERROR(
        Change([from, to](LoaderCore& core) { return core.Limit(from, to); }));
    return AgreeOnRounds();
  }
  absl::StatusOr<std::optional<BatchLease>> Next() override;
  std::optional<WaitingNext::Result> TryNext(absl::Duration wait) override;
  absl::StatusOr<int> ReadyDescriptor() override { return asked_.Descriptor(); }
  void Cancel() override {
    strand_->Post([core = core_] { core->Cancel(); });
  }
  Cursor CursorAfter(uint64_t batches) const override {
    return order_ == nullptr ? Cursor{.order = identity_}
                             : order_->CursorAfter(batches);
  }
  LoaderStats stats() const override;

 private:
  absl::StatusOr<LoaderCoreOptions> CoreOptions() const {
    LoaderCoreOptions core;
    if (make_ring_) {
      ASSIGN_OR_RETURN(core.ring, make_ring_(worker_.buffer_size));
    }
    core.buffer_size = worker_.buffer_size;
    core.ring_option = ring_option_;
    core.prefetch_size = worker_.prefetch_size;
    core.rpc_timeout = worker_.rpc_timeout;
    core.jitter_seed = jitter_seed_;
    core.on_wait = on_wait_;
    core.on_traced = on_traced_;
    core.trace_seed = trace_seed_;
    core.job = worker_.worker_key;
    return core;
  }
  // Begins to fetch rows, if the options say so.
  absl::Status StartCache();
  // Sets rounds_ for the epoch that has begun.
  absl::Status AgreeOnRounds();
  // Runs `change` on the strand and takes the order that it left.
  template <typename F>
  absl::Status Change(F change);

  const SessionOptions options_;
  const RemoteDistSamplingWorkerOptions worker_;
  const uint64_t jitter_seed_;
  const uint64_t trace_seed_;
  Transport* const transport_;
  const decltype(LoaderEnvironment::make_ring) make_ring_;
  const std::string ring_option_;
  const WaitObserver on_wait_;
  const TracedObserver on_traced_;
  SystemHostResolver resolver_;
  const std::shared_ptr<Strand> strand_;
  const std::shared_ptr<ServerFleet> fleet_;
  std::shared_ptr<LoaderCore> core_;
  std::shared_ptr<TrainerCache> cache_;  // null: there is none
  GraphSchema schema_;
  EpochOrderOptions order_options_;
  OrderIdentity identity_;
  std::shared_ptr<const EpochOrder> order_;
  uint64_t rounds_ = 0;
  AskedBatch asked_;
};

absl::Status Loader::Open() {
  auto opener = std::make_shared<SessionOpener>(options_, strand_, on_wait_);
  auto opened = std::make_shared<Promised<absl::StatusOr<OpenedSession>>>();
  strand_->Post(
      [opener, opened, fleet = fleet_, timeout = worker_.rpc_timeout] {
        opener->Open(fleet, timeout,
                     [opened](auto result) { opened->Set(std::move(result)); });
      });
  auto result = opened->Wait(worker_.rpc_timeout + kGrace);
  if (!result.has_value()) return ExecutorStuck();
  RETURN_IF_ERROR(result->status());
  schema_ = std::move((*result)->schema);
  order_options_ = (*result)->session.order;
  identity_ = (*result)->session.order_identity();
  ASSIGN_OR_RETURN(LoaderCoreOptions core, CoreOptions());
  core_ = std::make_shared<LoaderCore>(std::move(core),
                                       std::move((*result)->session), strand_);
  strand_->Post([core = core_, fleet = fleet_] { core->Start(fleet); });
  return StartCache();
}

absl::Status Loader::StartCache() {
  ASSIGN_OR_RETURN(const TrainerCacheSize size,
                   TrainerCacheSize::Parse(worker_.trainer_cache));
  if (size.off()) return absl::OkStatus();
  TrainerCacheOptions cache;
  cache.size = size;
  cache.list = worker_.trainer_cache_list;
  cache.strand = strand_;
  cache.fleet = fleet_;
  cache.transport = transport_;
  cache.schema = schema_;
  cache.collect = options_.collect;
  cache.feature_dtype = options_.feature_dtype;
  cache.memory = size.automatic ? MemoryOfTrainerCache() : 0;
  cache.batches = (num_batches() + order_options_.world - 1) /
                  std::max<uint64_t>(1, order_options_.world);
  cache.wire_bytes = [core = core_] { return core->stats().wire_bytes(); };
  cache.hold = [core = core_](std::shared_ptr<HeldRows> rows) {
    core->Hold(std::move(rows));
  };
  cache.observe = [core = core_](LoaderCore::DeliveryObserver by) {
    core->Observe(std::move(by));
  };
  cache_ = std::make_shared<TrainerCache>(std::move(cache));
  strand_->Post([cache = cache_] { cache->Start(); });
  return absl::OkStatus();
}

// Leases and the slots below them live on; nothing else does.
Loader::~Loader() {
  auto closed = std::make_shared<Promised<bool>>();
  strand_->Post([core = core_, fleet = fleet_, cache = cache_, closed] {
    if (cache != nullptr) cache->Stop();
    const auto done = [closed] { closed->Set(true); };
    if (core != nullptr) return core->Close(done);
    fleet->Close(done);
  });
  closed->Wait(kGrace);
}

template <typename F>
absl::Status Loader::Change(F change) {
  struct Changed {
    absl::Status status;
    std::shared_ptr<const EpochOrder> order;
  };
  auto changed = std::make_shared<Promised<Changed>>();
  strand_->Post([core = core_, changed, change = std::move(change)] {
    absl::Status status = change(*core);
    changed->Set({std::move(status), core->order()});
  });
  auto result = changed->Wait(kGrace);
  if (!result.has_value()) return ExecutorStuck();
  // Of an epoch that was left; where there is none, what was asked for stays.
  if (result->status.ok()) asked_.Drop();
  order_ = std::move(result->order);
  return std::move(result->status);
}

absl::Status Loader::AgreeOnRounds() {
  const uint64_t batches = end_index() - begin_index();
  const uint64_t world = order_options_.world;
  rounds_ = batches / world + (batches % world != 0 ? 1 : 0);
  if (!options_.agree_rounds) return absl::OkStatus();
  ASSIGN_OR_RETURN(const uint64_t agreed, options_.agree_rounds(rounds_));
  if (agreed < rounds_) {
    return absl::FailedPreconditionError(
        absl::StrCat("agree_rounds returned ", agreed, "; this rank has ",
                     rounds_, " batches: allowed are at least as many rounds"));
  }
  rounds_ = agreed;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<BatchLease>> Loader::Next() {
  auto result = TryNext(worker_.rpc_timeout + kGrace);
  if (!result.has_value()) return ExecutorStuck();
  return *std::move(result);
}

std::optional<WaitingNext::Result> Loader::TryNext(absl::Duration wait) {
  if (!asked_.asked()) {
    strand_->Post([core = core_, delivered = asked_.Ask()]() mutable {
      core->Next(std::move(delivered));
    });
  }
  return asked_.Take(std::min(wait, worker_.rpc_timeout + kGrace));
}

LoaderStats Loader::stats() const {
  auto stats = std::make_shared<Promised<LoaderStats>>();
  strand_->Post([core = core_, stats] { stats->Set(core->stats()); });
  return stats->Wait(kGrace).value_or(LoaderStats{});
}

}  // namespace

absl::StatusOr<std::unique_ptr<DistLoader>> DistLoader::Create(
    const SessionOptions& options,
    const RemoteDistSamplingWorkerOptions& worker,
    const LoaderEnvironment& environment) {
  RETURN_IF_ERROR(worker.Validate());
  RETURN_IF_ERROR(CheckPinMemory(worker, environment));
  RETURN_IF_ERROR(CheckTraceFile(worker, environment));
  RETURN_IF_ERROR(CheckSessionOptions(options));
  ASSIGN_OR_RETURN(const DiscoverySource source, worker.Source());
  auto loader = std::make_unique<Loader>(options, worker, environment, source);
  RETURN_IF_ERROR(loader->Open());
  environment.opened(loader->schema());
  return std::unique_ptr<DistLoader>(std::move(loader));
}

}  // namespace tributary
