// Finds the servers of a fleet and keeps looking.
#ifndef TRIBUTARY_COMMON_FLEET_DISCOVERY_H_
#define TRIBUTARY_COMMON_FLEET_DISCOVERY_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fleet/address.h"
#include "common/fleet/discovery_source.h"
#include "common/fleet/host_resolver.h"
#include "common/runtime/executor.h"

namespace tributary {

// What a source said when it was last read.
struct ServerListing {
  std::vector<Address> addresses;
  // Not OK: the source cannot be read now; `addresses` are those of before.
  absl::Status problem;
};

// Reads a source, again and again: a file every 200 ms, a name every second, a
// static list once. It only says what is listed: that a server is gone follows
// from Membership, for a list may be wrong for a while.
class Discovery : public std::enable_shared_from_this<Discovery> {
 public:
  using OnListing = absl::AnyInvocable<void(const ServerListing&)>;

  // `resolver` is used for names only, and outlives this.
  Discovery(DiscoverySource source, std::shared_ptr<Strand> strand,
            HostResolver* resolver);

  // Calls `on_listing`, on the strand, with the first reading and then whenever
  // one differs from the one before. Both on the strand; Start at most once.
  void Start(OnListing on_listing);
  // No call after it.
  void Stop();

 private:
  void Poll();
  void Read();
  void Take(absl::StatusOr<std::vector<Address>> reading);

  const DiscoverySource source_;
  const std::shared_ptr<Strand> strand_;
  HostResolver* const resolver_;
  OnListing on_listing_;
  std::optional<ServerListing> last_;
  TimerId timer_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_DISCOVERY_H_
