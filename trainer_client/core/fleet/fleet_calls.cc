#include "trainer_client/core/fleet/fleet_calls.h"

#include <chrono>
#include <utility>

#include "common/fleet/discovery.h"
#include "common/runtime/mutex.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Each call ends by its deadline; the margin is for slow machines.
constexpr absl::Duration kMargin = absl::Seconds(5);

// Collects values from other threads for one that waits for them.
template <typename T>
class Inbox {
 public:
  void Put(T value) {
    MutexLock lock(mutex_);
    values_.push_back(std::move(value));
    changed_.NotifyAll();
  }
  // Waits for `count` values; returns fewer if `timeout` ends first.
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

}  // namespace

absl::StatusOr<std::vector<Address>> ListServers(DiscoverySource source,
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

FleetCalls::FleetCalls(const std::vector<Address>& addresses,
                       Transport* transport, ThreadPool* pool,
                       StreamMethod method)
    : pool_(pool) {
  for (const Address& address : addresses) {
    clients_.push_back(
        std::make_unique<CallClient>(transport, address, method, pool));
  }
}

std::vector<FleetReply> FleetCalls::Call(const std::vector<size_t>& servers,
                                         const CallRequest& request,
                                         absl::Time deadline,
                                         size_t max_reply_bytes) {
  auto inbox = std::make_shared<Inbox<FleetReply>>();
  for (const size_t server : servers) {
    clients_[server]->Call(
        request, deadline, max_reply_bytes,
        [inbox, server, start = pool_->Now(),
         pool = pool_](absl::StatusOr<CallReply> reply) {
          inbox->Put({server, pool->Now() - start, std::move(reply)});
        });
  }
  return inbox->Take(servers.size(), deadline - pool_->Now() + kMargin);
}

}  // namespace tributary
