#include "trainer_client/torch/inference/batch_pass.h"

#include <ATen/ATen.h>

#include <array>
#include <optional>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/batch_tensors/device_copies.h"
#include "trainer_client/torch/train/batch_rounds.h"

namespace tributary {
namespace {

bool ExpandsAll(const SessionOptions& session) {
  if (const auto* of_nodes = std::get_if<NeighborOptions>(&session.kind)) {
    return of_nodes->expand_all;
  }
  const auto* of_links = std::get_if<LinkOptions>(&session.kind);
  return of_links != nullptr && of_links->neighbors.expand_all;
}

// Adds the other remedy to the error of a batch that the ring cannot hold.
absl::Status NameBatchSize(const absl::Status& status, uint64_t batch_size) {
  if (status.code() != absl::StatusCode::kInvalidArgument ||
      !absl::StrContains(status.message(), " needs ") ||
      !absl::StrContains(status.message(), " bytes")) {
    return status;
  }
  return absl::Status(
      status.code(),
      absl::StrCat(std::string(status.message()),
                   ", or lower --eval-batch-size, which is ", batch_size));
}

}  // namespace

absl::Status BatchPass::WithLease(
    const BatchLease& lease, const GraphSchema& schema, const TypeTable& types,
    DeviceCopies& copies, bool expand_all,
    absl::FunctionRef<absl::Status(const MiniBatch&)> f) {
  return CatchTorch("predict", [&]() -> absl::Status {
    const at::NoGradGuard no_grad;
    ASSIGN_OR_RETURN(const MiniBatch batch,
                     MakeMiniBatch(lease, schema, types,
                                   {.expand_all = expand_all,
                                    .row_normalize = options_.row_normalize,
                                    .random_seed = options_.random_seed},
                                   device_, copies));
    RETURN_IF_ERROR(f(batch));
    return copies.Poll();
  });
}

absl::Status BatchPass::ForEach(
    const SessionOptions& session, std::string_view phase,
    absl::FunctionRef<absl::Status(const MiniBatch&)> f) {
  ASSIGN_OR_RETURN(DistLoader* const loader, loaders_->Open(session));
  const TypeTable types = TypeTable::From(loader->schema());
  DeviceCopies copies(device_);
  RETURN_IF_ERROR(loader->StartEpoch(0));
  BatchRounds rounds(loader, group_->rank(), group_->world());
  for (uint64_t round = 0; round < rounds.count(); ++round) {
    const absl::StatusOr<std::optional<BatchLease>> lease = rounds.Batch(round);
    if (!lease.ok()) return NameBatchSize(lease.status(), session.batch_size);
    if (lease->has_value()) {
      RETURN_IF_ERROR(WithLease(**lease, loader->schema(), types, copies,
                                ExpandsAll(session), f));
    }
    // Ranks that wait for each other give up after little more than the longest
    // wait for a batch: they must not drift apart.
    std::array<double, 1> done{1};
    RETURN_IF_ERROR(group_->Sum(absl::MakeSpan(done)));
    observer_->OnRound(phase, 0, round + 1, rounds.count());
  }
  loaders_->Close();
  return absl::OkStatus();
}

}  // namespace tributary
