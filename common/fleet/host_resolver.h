// Looks host names up without blocking the caller.
#ifndef TRIBUTARY_COMMON_FLEET_HOST_RESOLVER_H_
#define TRIBUTARY_COMMON_FLEET_HOST_RESOLVER_H_

#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "common/fleet/address.h"
#include "common/runtime/mutex.h"

namespace tributary {

class HostResolver {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<std::vector<Address>>)>;
  virtual ~HostResolver() = default;
  // Calls `done` once, on any thread, also inside this call, with each address
  // of `name.host` and the port of `name`, ascending. Thread-safe.
  virtual void Resolve(const Address& name, Done done) = 0;
};

// glibc's getaddrinfo_a, waited for on a thread of its own, for a look-up may
// take as long as the system's resolver is configured to: minutes. The
// destructor does not wait for it: it leaves the one under way to glibc, which
// holds all that it uses, and drops those that wait, their callbacks uncalled.
class SystemHostResolver final : public HostResolver {
 public:
  SystemHostResolver() = default;
  ~SystemHostResolver() override;
  // RESOURCE_EXHAUSTED when 64 wait already.
  void Resolve(const Address& name, Done done) override;

 private:
  void Run();
  bool stopping();

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::pair<Address, Done>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_ ABSL_GUARDED_BY(mutex_);  // started by the first look-up
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_HOST_RESOLVER_H_
