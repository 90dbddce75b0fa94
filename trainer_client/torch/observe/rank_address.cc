#include "trainer_client/torch/observe/rank_address.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<Address> RankHttpAddress(const std::string& http,
                                        int local_rank) {
  absl::StatusOr<Address> address =
      ParseAddress(http, /*allow_port_zero=*/true);
  if (!address.ok() || address->is_unix()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--http is ", http, "; allowed: HOST:PORT"));
  }
  if (address->port == 0) return address;
  const int port = address->port + local_rank;
  if (port > UINT16_MAX) {
    return absl::InvalidArgumentError(
        absl::StrCat("--http is ", http, ", so local rank ", local_rank,
                     " would listen at port ", port,
                     "; allowed: ports up to 65535, or port 0"));
  }
  address->port = static_cast<uint16_t>(port);
  return address;
}

}  // namespace tributary
