// Where the ranks of a machine serve their metrics.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_OBSERVE_RANK_ADDRESS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_OBSERVE_RANK_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/fleet/address.h"

namespace tributary {

// Parses the value of --http and returns the address of the rank with this
// number on its machine: the port is higher by that number, or any where it is
// 0. INVALID_ARGUMENT, with the value and what is allowed, for what is no
// HOST:PORT, and where the port would be above 65535.
absl::StatusOr<Address> RankHttpAddress(const std::string& http,
                                        int local_rank);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_OBSERVE_RANK_ADDRESS_H_
