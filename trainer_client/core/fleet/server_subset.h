// Chooses the servers of a large fleet that one loader keeps streams to.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SUBSET_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SUBSET_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "common/fleet/address.h"

namespace tributary {

// A listed server.
struct SubsetCandidate {
  uint64_t score = 0;  // SubsetScore: higher ones come first
  bool own = false;    // of this client's share: comes before all others
  bool usable = true;  // it is up, or was not tried yet
  // The partitions that it owns; empty: not known yet.
  std::vector<uint32_t> partitions;
};

// Returns the place of a server in the order of a client: rendezvous hashing
// (Thaler and Ravishankar, "Using name-based mappings to increase hit rates",
// 1998). Each client has an order of its own, so the clients are spread evenly,
// and a server that comes or goes changes nothing of the order of the others.
uint64_t SubsetScore(std::string_view client, const Address& server);

// Returns the positions of the chosen candidates, ascending. Only usable ones
// are chosen: in the client's order, those that own a partition which none
// before them owns; then the first others, up to `max` in all. If partitions
// [0, num_partitions) of no known owner are left, one server of unknown
// partitions is chosen in addition, to learn what it owns. Owners of all
// partitions are chosen though they are more than `max`.
std::vector<size_t> ChooseSubset(const std::vector<SubsetCandidate>& candidates,
                                 size_t max, uint32_t num_partitions);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_SERVER_SUBSET_H_
