// The servers that belong to a fleet: every server that was ever listed, until
// it is both unlisted and unhealthy.
#ifndef TRIBUTARY_COMMON_FLEET_MEMBERSHIP_H_
#define TRIBUTARY_COMMON_FLEET_MEMBERSHIP_H_

#include <map>
#include <vector>

#include "absl/types/span.h"
#include "common/fleet/address.h"

namespace tributary {

// The set of a fleet's servers. A listing alone never removes a server:
// otherwise a half-written file or a DNS server with a partial answer would
// empty a healthy fleet. Not thread-safe.
class Membership {
 public:
  // Applies a new listing; returns the servers that were not members, in its
  // order.
  std::vector<Address> Update(absl::Span<const Address> listed) {
    for (auto& [address, is_listed] : members_) is_listed = false;
    std::vector<Address> added;
    for (const Address& address : listed) {
      const auto [it, is_new] = members_.try_emplace(address, true);
      it->second = true;
      if (is_new) added.push_back(address);
    }
    return added;
  }
  // Call when a server has become unhealthy. Removes it and returns true if the
  // last listing does not have it.
  bool RemoveIfAbsent(const Address& address) {
    const auto it = members_.find(address);
    if (it == members_.end() || it->second) return false;
    members_.erase(it);
    return true;
  }

 private:
  std::map<Address, bool> members_;  // whether the last listing had it
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_MEMBERSHIP_H_
