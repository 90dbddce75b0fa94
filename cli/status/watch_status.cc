#include "cli/status/watch_status.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "channel/call_client.h"
#include "channel/envelope.h"
#include "channel/network.h"
#include "channel/transports/network_choice.h"
#include "cli/query/fleet_connection.h"
#include "common/fleet/discovery_source.h"
#include "common/proto/status.pb.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/runtime/promised.h"
#include "common/runtime/thread_pool.h"
#include "common/status/fleet_text.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"
#include "trainer_client/core/fleet/fleet_calls.h"

namespace tributary {
namespace {

// Moves to the first place and clears the screen from there.
constexpr char kClear[] = "\x1b[H\x1b[2J";
// For an answer that comes at the deadline to be noticed.
constexpr absl::Duration kSlack = absl::Seconds(1);

// The answers of one round. Callbacks that are late keep it.
class Round {
 public:
  explicit Round(size_t servers) : views_(servers), left_(servers) {
    for (ServerView& view : views_) {
      view.answer = absl::DeadlineExceededError("no answer");
    }
  }
  void SetAddress(size_t server, std::string address) {
    MutexLock lock(mutex_);
    views_[server].address = std::move(address);
  }
  void Set(size_t server, absl::StatusOr<v1::ServerStatus> status) {
    MutexLock lock(mutex_);
    ServerView& view = views_[server];
    view.answer = absl::OkStatus();
    if (status.ok()) {
      view.status = *std::move(status);
    } else if (!absl::IsUnimplemented(status.status())) {
      view.answer = status.status();
    }
    if (--left_ == 0) changed_.NotifyAll();
  }
  void Stop() {
    MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }
  // Returns what is known when all have answered, or the time has passed.
  absl::StatusOr<std::vector<ServerView>> Await(absl::Duration timeout) {
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
    MutexLock lock(mutex_);
    while (left_ > 0 && !stopped_ && changed_.WaitUntil(mutex_, deadline)) {
    }
    if (stopped_) return absl::CancelledError("a signal came");
    return views_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<ServerView> views_ ABSL_GUARDED_BY(mutex_);
  size_t left_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
};

absl::StatusOr<v1::ServerStatus> ToStatus(
    const absl::StatusOr<CallReply>& reply) {
  ASSIGN_OR_RETURN(v1::StatusReply told,
                   ReplyAs<v1::StatusReply>(reply, MessageKind::kStatusReply));
  return std::move(*told.mutable_status());
}

class StatusQueryImpl final : public StatusQuery {
 public:
  StatusQueryImpl(FleetAccess access, DiscoverySource source)
      : source_(std::move(source)),
        transport_(MakeNetworkTransport(
            {.carrier = Carrier::kGrpc, .tls = access.tls})) {}
  ~StatusQueryImpl() override {
    clients_.clear();
    transport_->Shutdown();
  }

  absl::StatusOr<std::vector<ServerView>> Ask(absl::Duration timeout) override {
    ASSIGN_OR_RETURN(std::vector<Address> servers,
                     ListServers(source_, timeout, pool_));
    std::sort(servers.begin(), servers.end());
    servers.erase(std::unique(servers.begin(), servers.end()), servers.end());
    const auto round = std::make_shared<Round>(servers.size());
    if (!Begin(round)) return absl::CancelledError("a signal came");
    std::map<Address, std::unique_ptr<CallClient>> clients;
    const absl::Time deadline = pool_.Now() + timeout;
    for (size_t i = 0; i < servers.size(); ++i) {
      auto client = std::move(clients_[servers[i]]);
      round->SetAddress(i, servers[i].ToString());
      clients[servers[i]] =
          Call(std::move(client), servers[i], deadline, round, i);
    }
    clients_ = std::move(clients);  // connections to others end
    return round->Await(timeout + kSlack);
  }

  void Stop() override {
    MutexLock lock(mutex_);
    stopped_ = true;
    if (round_ != nullptr) round_->Stop();
  }

 private:
  bool Begin(std::shared_ptr<Round> round) {
    MutexLock lock(mutex_);
    round_ = std::move(round);
    return !stopped_;
  }

  // Asks one server over `client`, or another one if that has broken.
  std::unique_ptr<CallClient> Call(std::unique_ptr<CallClient> client,
                                   const Address& server, absl::Time deadline,
                                   const std::shared_ptr<Round>& round,
                                   size_t place) {
    if (client == nullptr || !client->open() || client->outstanding() > 0) {
      client = std::make_unique<CallClient>(transport_.get(), server,
                                            StreamMethod::kControl, &pool_);
    }
    client->Call(
        {MessageKind::kStatusRequest, v1::StatusRequest().SerializeAsString()},
        deadline, 0, [round, place](const absl::StatusOr<CallReply>& reply) {
          round->Set(place, ToStatus(reply));
        });
    return client;
  }

  const DiscoverySource source_;
  ThreadPool pool_{"fleet", 1};
  const std::unique_ptr<NetworkTransport> transport_;
  std::map<Address, std::unique_ptr<CallClient>> clients_;
  Mutex mutex_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<Round> round_ ABSL_GUARDED_BY(mutex_);
};

std::string ReportOf(const absl::StatusOr<std::vector<ServerView>>& views) {
  if (views.ok()) {
    return FleetText(MakeFleetStatus(absl::Now(), "this command", *views));
  }
  return absl::StrCat(
      "tributary status: ", TerminalLine(views.status().ToString()), "\n");
}

}  // namespace

absl::StatusOr<std::unique_ptr<StatusQuery>> StatusQuery::Open(
    FleetAccess access) {
  ASSIGN_OR_RETURN(DiscoverySource source, CheckAccess(access));
  return std::make_unique<StatusQueryImpl>(std::move(access),
                                           std::move(source));
}

absl::Status WatchStatus(const WatchOptions& options, SignalWatcher& signals,
                         const std::function<void(const std::string&)>& print) {
  ASSIGN_OR_RETURN(const std::unique_ptr<StatusQuery> query,
                   StatusQuery::Open(options.access));
  const auto stopped = std::make_shared<Promised<bool>>();
  signals.OnStop([&query, stopped](int) {
    query->Stop();
    stopped->Set(true);
  });
  for (uint64_t round = 1;; ++round) {
    const absl::Time next = SteadyClock().Now() + options.interval;
    const auto views = query->Ask(options.timeout);
    if (absl::IsCancelled(views.status())) break;
    print(absl::StrCat(options.redraw ? kClear
                       : round > 1    ? "\n"
                                      : "",
                       ReportOf(views)));
    if (round == options.count) break;
    if (stopped->Wait(next - SteadyClock().Now()).has_value()) break;
  }
  signals.OnStop(nullptr);
  return absl::OkStatus();
}

}  // namespace tributary
