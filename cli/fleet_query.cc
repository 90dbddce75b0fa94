#include "cli/fleet_query.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/call_client.h"
#include "channel/envelope.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/parse_header.h"
#include "cli/command.h"
#include "common/fleet/discovery.h"
#include "common/mutex.h"
#include "common/proto/wire.pb.h"
#include "common/status.h"
#include "common/thread_pool.h"

namespace tributary {
namespace {

// Each call ends by its deadline; the margin is for a slow machine.
constexpr absl::Duration kMargin = absl::Seconds(5);

// What is still being waited for, and what has come.
template <typename T>
class Inbox {
 public:
  void Put(T value) {
    MutexLock lock(mutex_);
    values_.push_back(std::move(value));
    changed_.NotifyAll();
  }
  // So many, or as many as came by then.
  std::vector<T> Take(size_t count, absl::Duration timeout) {
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
    MutexLock lock(mutex_);
    while (values_.size() < count && changed_.WaitUntil(mutex_, deadline)) {
    }
    return std::move(values_);
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<T> values_ ABSL_GUARDED_BY(mutex_);
};

// The source's first reading.
absl::StatusOr<std::vector<Address>> List(DiscoverySource source,
                                          absl::Duration timeout,
                                          ThreadPool& pool) {
  SystemHostResolver resolver;
  auto inbox = std::make_shared<Inbox<ServerListing>>();
  auto strand = std::make_shared<Strand>(&pool);
  auto discovery =
      std::make_shared<Discovery>(std::move(source), strand, &resolver);
  strand->Post([discovery, inbox] {
    discovery->Start([inbox](const ServerListing& l) { inbox->Put(l); });
  });
  std::vector<ServerListing> listings = inbox->Take(1, timeout);
  auto stopped = std::make_shared<Inbox<bool>>();
  strand->Post([discovery, stopped] {
    discovery->Stop();
    stopped->Put(true);
  });
  stopped->Take(1, timeout);
  if (listings.empty()) {
    return absl::DeadlineExceededError("--servers: no list in time");
  }
  RETURN_IF_ERROR(listings.front().problem);
  if (listings.front().addresses.empty()) {
    return absl::NotFoundError("--servers: the list is empty");
  }
  return std::move(listings.front().addresses);
}

absl::StatusOr<ServerReport> ToReport(const CallReply& reply) {
  if (reply.kind != MessageKind::kDescribeReply) {
    return absl::InternalError(
        absl::StrCat("answered by ", MessageKindName(reply.kind)));
  }
  ASSIGN_OR_RETURN(const auto told,
                   ParseHeader<v1::DescribeReply>(reply.kind, reply.header));
  ServerReport report;
  ASSIGN_OR_RETURN(report.schema, GraphSchema::FromJson(told.graph_json()));
  report.wire_version = told.wire_version();
  report.partitions.assign(told.partitions().begin(), told.partitions().end());
  report.incarnation = told.incarnation();
  report.draining = told.draining();
  report.budget_bytes = told.budget_bytes();
  for (const v1::PeerState& peer : told.peers()) {
    report.peers.push_back(
        {peer.address(),
         peer.healthy(),
         {peer.partitions().begin(), peer.partitions().end()}});
  }
  return report;
}

struct TimedReply {
  size_t server = 0;
  absl::Duration took;
  absl::StatusOr<CallReply> reply;
};

// One call to each server at a time.
class Round {
 public:
  Round(const std::vector<Address>& addresses, Transport* transport,
        ThreadPool* pool)
      : pool_(pool) {
    for (const Address& address : addresses) {
      clients_.push_back(std::make_unique<CallClient>(
          transport, address, StreamMethod::kControl, pool));
    }
  }

  // From each of `servers`, by `deadline`.
  std::vector<TimedReply> Ask(const std::vector<size_t>& servers,
                              absl::Time deadline) {
    v1::DescribeRequest request;
    request.set_wire_version(kWireVersion);
    auto inbox = std::make_shared<Inbox<TimedReply>>();
    for (const size_t server : servers) {
      clients_[server]->Call(
          {MessageKind::kDescribeRequest, request.SerializeAsString()},
          deadline, 0,
          [inbox, server, start = pool_->Now(),
           pool = pool_](absl::StatusOr<CallReply> reply) {
            inbox->Put({server, pool->Now() - start, std::move(reply)});
          });
    }
    return inbox->Take(servers.size(), deadline - pool_->Now() + kMargin);
  }

 private:
  ThreadPool* const pool_;
  std::vector<std::unique_ptr<CallClient>> clients_;
};

void Probe(size_t server, absl::Time deadline, int probes, Round& round,
           ServerAnswer& answer) {
  for (int i = 0; i < probes; ++i) {
    const std::vector<TimedReply> replies = round.Ask({server}, deadline);
    if (replies.empty() || !replies.front().reply.ok()) return;
    answer.round_trip =
        std::min(answer.round_trip.value_or(absl::InfiniteDuration()),
                 replies.front().took);
  }
}

std::vector<ServerAnswer> Ask(const std::vector<Address>& addresses,
                              absl::Duration timeout, int probes,
                              ThreadPool& pool) {
  const absl::Time deadline = pool.Now() + timeout;
  GrpcTransport transport;
  Round round(addresses, &transport, &pool);
  std::vector<ServerAnswer> answers;
  std::vector<size_t> all;
  for (const Address& address : addresses) {
    all.push_back(answers.size());
    answers.push_back({address, absl::DeadlineExceededError("no answer"), {}});
  }
  for (TimedReply& r : round.Ask(all, deadline)) {
    answers[r.server].report =
        r.reply.ok() ? ToReport(*r.reply)
                     : absl::StatusOr<ServerReport>(r.reply.status());
  }
  for (const size_t server : all) {
    if (!answers[server].report.ok()) continue;
    Probe(server, deadline, probes, round, answers[server]);
  }
  std::sort(answers.begin(), answers.end(),
            [](const ServerAnswer& a, const ServerAnswer& b) {
              return a.address < b.address;
            });
  return answers;
}

}  // namespace

absl::StatusOr<std::vector<ServerAnswer>> AskServers(const std::string& servers,
                                                     absl::Duration timeout,
                                                     int probes) {
  auto source = ParseDiscoverySource(servers);
  if (!source.ok()) {
    return UsageError(
        absl::StrCat("--servers: ", std::string(source.status().message())));
  }
  ThreadPool pool("fleet", 1);
  ASSIGN_OR_RETURN(const std::vector<Address> addresses,
                   List(*std::move(source), timeout, pool));
  return Ask(addresses, timeout, probes, pool);
}

}  // namespace tributary
