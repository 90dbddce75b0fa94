#include "trainer_client/graph/graph_connection.h"

#include <atomic>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/fleet/host_resolver.h"
#include "common/runtime/mutex.h"
#include "common/runtime/promised.h"
#include "common/text/status.h"
#include "trainer_client/core/fleet_options.h"
#include "trainer_client/core/loader_core.h"
#include "trainer_client/core/session/graph_opener.h"
#include "trainer_client/core/session/session_builder.h"
#include "trainer_client/core/session/split_reader.h"
#include "trainer_client/graph/cancellable_waits.h"

namespace tributary {
namespace {

// Beyond the state machines' own deadlines, which should always come first.
constexpr absl::Duration kGrace = absl::Seconds(10);

absl::Status ExecutorStuck() {
  return absl::DeadlineExceededError(
      "the loader's executor does not run its tasks");
}

using OpenedGraph = absl::StatusOr<GraphOpener::Graph>;

class Connection final : public GraphConnection {
 public:
  Connection(LoaderEnvironment environment,
             const RemoteDistSamplingWorkerOptions& worker,
             absl::Duration timeout)
      : environment_(std::move(environment)),
        worker_(worker),
        timeout_(timeout),
        jitter_seed_(std::random_device()()),
        strand_(std::make_shared<Strand>(environment_.executor)) {}
  ~Connection() override;

  absl::Status Open();

  const GraphSchema& schema() const override { return graph_->schema; }
  absl::Duration timeout() const override { return timeout_; }
  absl::StatusOr<std::vector<AlignedBuffer>> Read(
      std::vector<GraphRead> reads) override;
  absl::StatusOr<std::vector<int64_t>> Split(const std::string& type,
                                             const std::string& name) override;
  absl::Status MakeBatches(
      const SessionOptions& options, uint64_t index,
      absl::FunctionRef<absl::Status(const BatchView&)> take) override;
  std::vector<PartitionOwner> Owners() override;
  void Cancel() override { waits_.Cancel(); }

 private:
  // Calls `start` with a function that takes the result, on the strand, and
  // waits for that result, or for Cancel(), after which it is dropped.
  template <typename T, typename Start>
  absl::StatusOr<T> Await(absl::Duration timeout, Start start);
  absl::StatusOr<LoaderSession> SessionOf(const SessionOptions& options);
  absl::StatusOr<std::shared_ptr<LoaderCore>> MakeCore(LoaderSession session)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(sampling_);

  const LoaderEnvironment environment_;
  const RemoteDistSamplingWorkerOptions worker_;
  const absl::Duration timeout_;
  const uint64_t jitter_seed_;
  SystemHostResolver resolver_;
  const std::shared_ptr<Strand> strand_;
  std::shared_ptr<ServerFleet> fleet_;
  std::shared_ptr<GraphOpener> events_;
  std::shared_ptr<GraphClient> client_;
  std::shared_ptr<const AcceptedGraph> graph_;
  CancellableWaits waits_;
  Mutex sampling_;  // one batch at a time
  std::shared_ptr<SlotRing> ring_ ABSL_GUARDED_BY(sampling_);
  uint64_t generations_ ABSL_GUARDED_BY(sampling_) = 0;
};

template <typename T, typename Start>
absl::StatusOr<T> Connection::Await(absl::Duration timeout, Start start) {
  auto promise = std::make_shared<Promised<absl::StatusOr<T>>>();
  const auto give = [promise, given = std::make_shared<std::atomic<bool>>(
                                  false)](absl::StatusOr<T> result) {
    if (!given->exchange(true)) promise->Set(std::move(result));
  };
  const CancellableWaits::Wait wait(&waits_, [give] {
    give(absl::CancelledError("the graph was cancelled"));
  });
  strand_->Post([give, start = std::move(start)]() mutable { start(give); });
  auto result = promise->Wait(timeout + kGrace);
  if (!result.has_value()) return ExecutorStuck();
  return *std::move(result);
}

absl::Status Connection::Open() {
  RETURN_IF_ERROR(worker_.Validate());
  ASSIGN_OR_RETURN(const DiscoverySource source, worker_.Source());
  fleet_ = std::make_shared<ServerFleet>(
      FleetOptionsOf(worker_, source, environment_.transport, strand_,
                     &resolver_, jitter_seed_));
  auto opened = std::make_shared<Promised<OpenedGraph>>();
  events_ = std::make_shared<GraphOpener>(fleet_, strand_);
  strand_->Post([events = events_, opened, timeout = timeout_] {
    events->Open(timeout, [opened](OpenedGraph graph) {
      opened->Set(std::move(graph));
    });
  });
  auto graph = opened->Wait(timeout_);
  if (!graph.has_value()) {
    const auto states = Await<std::string>(
        absl::ZeroDuration(),
        [fleet = fleet_](auto done) { done(fleet->ToString()); });
    return absl::UnavailableError(absl::StrCat(
        "no server answered within ", absl::FormatDuration(timeout_),
        "; servers: ", states.value_or("unknown")));
  }
  RETURN_IF_ERROR(graph->status());
  graph_ = **std::move(graph);
  environment_.opened(graph_->schema);
  GraphClientOptions options;
  options.transport = environment_.transport;
  options.strand = strand_;
  options.layout = graph_->schema.layout_digest;
  client_ = std::make_shared<GraphClient>(std::move(options), fleet_);
  return absl::OkStatus();
}

Connection::~Connection() {
  if (fleet_ == nullptr) return;
  auto closed = std::make_shared<Promised<bool>>();
  strand_->Post([fleet = fleet_, client = client_, closed] {
    if (client != nullptr) client->Close();
    fleet->Close([closed] { closed->Set(true); });
  });
  closed->Wait(kGrace);
}

absl::StatusOr<std::vector<AlignedBuffer>> Connection::Read(
    std::vector<GraphRead> reads) {
  return Await<GraphClient::Replies>(
      timeout_, [client = client_, strand = strand_, timeout = timeout_,
                 reads = std::move(reads)](auto done) mutable {
        client->Read(std::move(reads), strand->Now() + timeout,
                     std::move(done));
      });
}

absl::StatusOr<std::vector<int64_t>> Connection::Split(
    const std::string& type, const std::string& name) {
  InputSource source;
  (IsEdgeTypeName(type) ? source.edge_type : source.node_type) = type;
  source.split = name;
  ASSIGN_OR_RETURN(SplitPages pages, SplitPages::Start(graph_->schema, source));
  const auto reader = std::make_shared<SplitReader>(
      fleet_, strand_, graph_->schema.content_digest, std::move(source),
      std::move(pages));
  return Await<std::vector<int64_t>>(timeout_,
                                     [reader, timeout = timeout_](auto done) {
                                       reader->Read(timeout, std::move(done));
                                     });
}

std::vector<PartitionOwner> Connection::Owners() {
  return Await<std::vector<PartitionOwner>>(
             absl::ZeroDuration(),
             [fleet = fleet_](auto done) {
               std::vector<PartitionOwner> owners;
               for (const ServerLink* link : fleet->Up()) {
                 owners.push_back({link->address().ToString(),
                                   link->description().partitions});
               }
               done(std::move(owners));
             })
      .value_or(std::vector<PartitionOwner>());
}

absl::StatusOr<LoaderSession> Connection::SessionOf(
    const SessionOptions& options) {
  RETURN_IF_ERROR(CheckSessionOptions(options));
  return MakeSession(options, graph_);
}

absl::StatusOr<std::shared_ptr<LoaderCore>> Connection::MakeCore(
    LoaderSession session) {
  if (ring_ == nullptr && environment_.make_ring) {
    ASSIGN_OR_RETURN(ring_, environment_.make_ring(worker_.buffer_size));
  }
  if (ring_ == nullptr) ring_ = SlotRing::Create(worker_.buffer_size);
  LoaderCoreOptions options;
  options.ring = ring_;
  options.buffer_size = worker_.buffer_size;
  options.ring_option = environment_.ring_option;
  options.prefetch_size = 1;
  options.rpc_timeout = timeout_;
  options.on_wait = environment_.on_wait;
  options.jitter_seed = jitter_seed_;
  options.first_generation = generations_;
  generations_ += 2;  // an epoch, and its end
  return std::make_shared<LoaderCore>(std::move(options), std::move(session),
                                      strand_);
}

// Ends a core's use of the fleet.
class CoreEnd {
 public:
  explicit CoreEnd(std::function<void()> end) : end_(std::move(end)) {}
  ~CoreEnd() { end_(); }
  CoreEnd(const CoreEnd&) = delete;
  CoreEnd& operator=(const CoreEnd&) = delete;

 private:
  const std::function<void()> end_;
};

absl::Status Connection::MakeBatches(
    const SessionOptions& options, uint64_t index,
    absl::FunctionRef<absl::Status(const BatchView&)> take) {
  using Batch = std::optional<BatchLease>;
  ASSIGN_OR_RETURN(LoaderSession session, SessionOf(options));
  MutexLock lock(sampling_);
  ASSIGN_OR_RETURN(const auto core, MakeCore(std::move(session)));
  const CoreEnd end([core, fleet = fleet_, events = events_, this] {
    strand_->Post([core, fleet, events] {
      core->Cancel();
      fleet->SetEvents(events);
    });
  });
  const auto begun = Await<bool>(
      absl::ZeroDuration(), [core, index, fleet = fleet_](auto done) {
        core->Start(fleet);
        Cursor cursor = core->CursorAfter(0);
        cursor.next_index = index;
        const absl::Status status = core->Resume(cursor);
        if (!status.ok()) return done(status);
        done(true);
      });
  RETURN_IF_ERROR(begun.status());
  while (true) {
    absl::StatusOr<Batch> batch = Await<Batch>(
        timeout_, [core](auto done) { core->Next(std::move(done)); });
    RETURN_IF_ERROR(batch.status());
    if (!batch->has_value()) return absl::OkStatus();
    RETURN_IF_ERROR(take((*batch)->view()));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<GraphConnection>> GraphConnection::Open(
    SamplingWorkers* workers, const std::string& name, absl::Duration timeout) {
  RemoteDistSamplingWorkerOptions worker = workers->loader();
  // All servers are asked: each partition has owners of its own.
  worker.server_rank.clear();
  worker.num_workers = 1;
  if (!name.empty()) {
    // The version that the workers' first loader opened, if there was one.
    const size_t version = worker.graph_name.find('@');
    const bool pinned =
        version != std::string::npos && name.find('@') == std::string::npos;
    worker.graph_name =
        pinned ? name + worker.graph_name.substr(version) : name;
  }
  auto connection =
      std::make_unique<Connection>(workers->environment(), worker, timeout);
  RETURN_IF_ERROR(connection->Open());
  return std::unique_ptr<GraphConnection>(std::move(connection));
}

}  // namespace tributary
