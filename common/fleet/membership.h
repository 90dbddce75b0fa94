// Which servers belong to a fleet: those ever listed, until they are both gone
// from the list and out of health.
#ifndef TRIBUTARY_COMMON_FLEET_MEMBERSHIP_H_
#define TRIBUTARY_COMMON_FLEET_MEMBERSHIP_H_

#include <map>
#include <vector>

#include "absl/types/span.h"
#include "common/fleet/address.h"

namespace tributary {

// A list alone removes nobody: a half-written file or a name server that
// answers in part would otherwise empty a healthy fleet. Not thread-safe.
class Membership {
 public:
  // Takes a new listing. The servers that were no members yet, in its order.
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
  // Call when the server's health has failed. True when it is listed no more:
  // it is then no member.
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
