// Finds the servers of a fleet and keeps following changes.
#ifndef TRIBUTARY_COMMON_FLEET_DISCOVERY_H_
#define TRIBUTARY_COMMON_FLEET_DISCOVERY_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "common/fleet/discovery_source.h"
#include "common/fleet/host_resolver.h"
#include "common/runtime/executor.h"

namespace tributary {

// The result of reading a DiscoverySource.
struct ServerListing {
  std::vector<Address> addresses;
  // If not OK, the source cannot be read now, and `addresses` are those of the
  // last successful reading.
  absl::Status problem;
};

// Reads a DiscoverySource periodically: a file every 200 ms, a static list
// once, a DNS name when its records' time to live ends, but at least a second
// and at most kLongestDnsPeriod after the last look-up, and a second after one
// that failed. Reports only what is listed; whether a server has left the fleet
// is decided by Membership, since a list may be wrong for a while.
//
// Create with std::make_shared. Call Start and Stop on the strand. Pending
// timers and look-ups do not keep the object alive.
class Discovery : public std::enable_shared_from_this<Discovery> {
 public:
  static constexpr absl::Duration kLongestDnsPeriod = absl::Seconds(30);
  using OnListing = absl::AnyInvocable<void(const ServerListing&)>;

  // `resolver` is used for DNS names only and must outlive this object.
  Discovery(DiscoverySource source, std::shared_ptr<Strand> strand,
            HostResolver* resolver);

  // Calls `on_listing`, on the strand, with the first reading, and again
  // whenever a reading differs from the one before. Call at most once.
  void Start(OnListing on_listing);
  // Ends the reading; `on_listing` is not called afterwards.
  void Stop();

 private:
  void ScheduleNextRead(absl::Duration period);
  void Read();
  void ApplyResolution(absl::StatusOr<Resolution> found);
  void ApplyReading(absl::StatusOr<std::vector<Address>> reading);

  const DiscoverySource source_;
  const std::shared_ptr<Strand> strand_;
  HostResolver* const resolver_;
  OnListing on_listing_;
  std::optional<ServerListing> last_;
  TimerId timer_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_DISCOVERY_H_
