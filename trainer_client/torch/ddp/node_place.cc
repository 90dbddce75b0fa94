#include "trainer_client/torch/ddp/node_place.h"

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

absl::Status OfOneMachine(const NodePlace& place) {
  if (!place.master_addr.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--master-addr is \"", place.master_addr,
        "\" on one machine, whose ranks meet on 127.0.0.1; allowed: with "
        "--nnodes 2 or more"));
  }
  if (place.node_rank > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--node-rank is ", place.node_rank,
                     " of one machine, allowed is 0; or give --nnodes"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status NodePlace::Validate() const {
  if (nnodes < 1 || nnodes > kMaxNodes) {
    return absl::InvalidArgumentError(
        absl::StrCat("--nnodes is ", nnodes, ", allowed are 1 to ", kMaxNodes));
  }
  if (nnodes == 1) return OfOneMachine(*this);
  if (master_addr.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--nnodes ", nnodes,
        " without --master-addr; give the host name or address of the machine "
        "with --node-rank 0"));
  }
  if (node_rank < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--nnodes ", nnodes,
                     " without --node-rank; give each machine another one, 0 "
                     "to ",
                     nnodes - 1));
  }
  if (node_rank >= nnodes) {
    return absl::InvalidArgumentError(
        absl::StrCat("--node-rank is ", node_rank, ", allowed are 0 to ",
                     nnodes - 1, " with --nnodes ", nnodes));
  }
  return absl::OkStatus();
}

}  // namespace tributary
