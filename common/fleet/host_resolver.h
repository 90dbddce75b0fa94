// Resolves host names without blocking the caller.
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

// Interface of a resolver, replaced in tests. Thread-safe.
class HostResolver {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<std::vector<Address>>)>;
  virtual ~HostResolver() = default;
  // Calls `done` once with every address of `name.host`, each with the port of
  // `name`, ascending; or with an error. It may run on any thread, also inside
  // this call.
  virtual void Resolve(const Address& name, Done done) = 0;
};

// Resolves with glibc's getaddrinfo_a and waits for results on its own thread,
// since a look-up may take as long as the system's resolver is configured to:
// minutes. The destructor does not wait for look-ups: the one in progress is
// left to glibc, together with all the memory that it uses; queued ones are
// dropped without calling their callbacks. UNAVAILABLE if a name cannot be
// resolved.
class SystemHostResolver final : public HostResolver {
 public:
  SystemHostResolver() = default;
  ~SystemHostResolver() override;
  // As above; RESOURCE_EXHAUSTED if 64 look-ups are queued already.
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
