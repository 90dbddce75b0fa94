#include "trainer_client/torch/ddp/peer_loss.h"

#include <c10/util/Exception.h>
#include <gloo/common/error.h>

#include "trainer_client/torch/batch_tensors/catch_torch.h"

namespace tributary {
namespace {

constexpr char kPayload[] = "tributary/lost-peers";

}  // namespace

absl::Status CatchCollective(std::string_view what,
                             absl::FunctionRef<absl::Status()> collective) {
  bool lost = false;
  absl::Status status = CatchTorch(what, [&] {
    try {
      return collective();
    } catch (const ::gloo::Exception&) {
      lost = true;
      throw;
    } catch (const c10::DistError&) {  // of NCCL, and of the store
      lost = true;
      throw;
    }
  });
  if (lost) status.SetPayload(kPayload, absl::Cord());
  return status;
}

bool LostPeers(const absl::Status& status) {
  return status.GetPayload(kPayload).has_value();
}

}  // namespace tributary
