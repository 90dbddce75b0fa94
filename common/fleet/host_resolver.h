// Resolves host names without blocking the caller.
#ifndef TRIBUTARY_COMMON_FLEET_HOST_RESOLVER_H_
#define TRIBUTARY_COMMON_FLEET_HOST_RESOLVER_H_

#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The result of a look-up.
struct Resolution {
  // Addresses alone, of which it is not known how long they hold.
  Resolution(std::vector<Address> found) : addresses(std::move(found)) {}
  Resolution(std::vector<Address> found, absl::Duration ttl)
      : addresses(std::move(found)), ttl(ttl) {}

  // Every address of the name, each with the port of the name, ascending.
  std::vector<Address> addresses;
  // How long they hold: the shortest time to live of the records, less what a
  // cache has kept them; 0 for lines of /etc/hosts and for IP addresses.
  absl::Duration ttl;
};

// Interface of a resolver, replaced in tests. Thread-safe.
class HostResolver {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<Resolution>)>;
  virtual ~HostResolver() = default;
  // Calls `done` once with what is found for `name.host`, or with an error. It
  // may run on any thread, also inside this call.
  virtual void Resolve(const Address& name, Done done) = 0;
};

struct HostResolverOptions {
  // The longest look-up; /etc/resolv.conf may name servers that do not answer.
  absl::Duration timeout = absl::Seconds(10);
  // Name servers in place of those of /etc/resolv.conf: "127.0.0.1:5353,...".
  std::string servers;
};

// Resolves with c-ares on a thread of its own: IP addresses, /etc/hosts, then
// DNS with the name servers, search domains and ndots of /etc/resolv.conf,
// which each look-up reads again; A and AAAA records, over TCP where an answer
// is too long for UDP. The destructor cancels the look-up in progress; its
// callback and those of queued ones are dropped without a call. UNAVAILABLE if
// a name cannot be resolved or no server answers in time.
class SystemHostResolver final : public HostResolver {
 public:
  explicit SystemHostResolver(HostResolverOptions options = {});
  ~SystemHostResolver() override;
  // As above; RESOURCE_EXHAUSTED if 64 look-ups are queued already.
  void Resolve(const Address& name, Done done) override;

 private:
  void Run();
  // Returns the next name; nullopt: the resolver ends.
  std::optional<std::pair<Address, Done>> NextLookup();

  const HostResolverOptions options_;
  const UniqueFd stop_event_;  // eventfd; readable once the resolver ends
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::pair<Address, Done>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);  // started by the first look-up
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_HOST_RESOLVER_H_
